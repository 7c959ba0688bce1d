"""Replaces the home directory by ~ in text that is published, such as run files."""

import os


def without_home(text: str) -> str:
    """`text` with ~ in place of the home directory. `text` is a path, or a word such as --isal=PATH."""
    name, equals, path = text.partition("=") if not text.startswith("/") else ("", "", text)
    return f"{name}{equals}~{path[len(home()):]}" if home() and path.startswith(home() + "/") else text


def with_home(text: str) -> str:
    """Reverses without_home(): replaces the ~ of a path ~/..., or of a word such as --isal=~/..., by the home directory."""
    name, equals, path = text.partition("=") if not text.startswith("~") else ("", "", text)
    return f"{name}{equals}{home()}{path[1:]}" if home() and path.startswith("~/") else text


def home() -> str:
    return os.environ.get("HOME", "").rstrip("/")
