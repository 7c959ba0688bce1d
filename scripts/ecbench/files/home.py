"""Replaces the path of the home directory with ~ in texts that may be published, for example in run files."""

import os


def without_home(text: str) -> str:
    """Returns `text` with ~ instead of the path of the home directory. `text` is a path, or a word such as --isal=PATH."""
    name, equals, path = text.partition("=") if not text.startswith("/") else ("", "", text)
    return f"{name}{equals}~{path[len(home()):]}" if home() and path.startswith(home() + "/") else text


def with_home(text: str) -> str:
    """Reverses without_home(): returns `text` with the path of the home directory instead of ~. `text` is a path such as ~/FILE, or
    a word such as --isal=~/DIR."""
    name, equals, path = text.partition("=") if not text.startswith("~") else ("", "", text)
    return f"{name}{equals}{home()}{path[1:]}" if home() and path.startswith("~/") else text


def home() -> str:
    return os.environ.get("HOME", "").rstrip("/")
