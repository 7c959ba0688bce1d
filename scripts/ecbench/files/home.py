"""The home directory in texts that are published, such as run files: written as ~."""

import os


def without_home(text: str) -> str:
    """A path, or a word such as --isal=PATH, with ~ for the home directory."""
    name, equals, path = text.partition("=") if not text.startswith("/") else ("", "", text)
    return f"{name}{equals}~{path[len(home()):]}" if home() and path.startswith(home() + "/") else text


def with_home(text: str) -> str:
    """What without_home() was given. As a user writes it, a word begins with ~ only if there is such a file."""
    name, equals, path = text.partition("=") if not text.startswith("~") else ("", "", text)
    return f"{name}{equals}{home()}{path[1:]}" if home() and path.startswith("~/") else text


def home() -> str:
    return os.environ.get("HOME", "").rstrip("/")
