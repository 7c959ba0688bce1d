"""Renders the HTML page of a mode from the template of this mode. The templates of all modes extend layout.html.j2."""

import functools
import pathlib
from typing import Any

import jinja2
from ecbench.point.wording import figure_text, number_text
from markupsafe import Markup

FOLDER = pathlib.Path(__file__).parent


def render(template: pathlib.Path, **words: Any) -> str:
    """`words`: the variables of layout.html.j2 and of the template."""
    return templates_of(template.parent).get_template(template.name).render(css=page_css(template.parent), **words)


def script_data(json_text: str) -> Markup:
    """Escapes JSON for a <script> element, so that no string in the JSON can end the element."""
    return Markup(json_text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


@functools.cache
def templates_of(folder: pathlib.Path, autoescape: bool = True) -> jinja2.Environment:
    """The templates in `folder` and in the directory of this file."""
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader([folder, FOLDER]), autoescape=autoescape, trim_blocks=True,
                                   lstrip_blocks=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    templates.filters["figure"] = figure_text
    templates.filters["percent"] = number_text
    return templates


@functools.cache
def page_css(folder: pathlib.Path) -> Markup:
    """Joins the style sheets of a page. `folder` may have one of its own."""
    files = (FOLDER / "page.css", FOLDER / "dark.css", folder / "page.css")
    return Markup("".join(path.read_text("utf-8") for path in files if path.exists()))
