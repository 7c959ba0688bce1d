"""Replaces the home directory by ~ in text that is published, such as run files."""

import os


def without_home(text: str) -> str:
    """A path, or a word such as --isal=PATH, with ~ in place of the home directory."""
    name, equals, path = text.partition("=") if not text.startswith("/") else ("", "", text)
    return f"{name}{equals}~{path[len(home()):]}" if home() and path.startswith(home() + "/") else text


def with_home(text: str) -> str:
    """Reverses without_home(). A word that begins with ~ stays unchanged if a file has that name."""
    name, equals, path = text.partition("=") if not text.startswith("~") else ("", "", text)
    return f"{name}{equals}{home()}{path[1:]}" if home() and path.startswith("~/") else text


def home() -> str:
    return os.environ.get("HOME", "").rstrip("/")
