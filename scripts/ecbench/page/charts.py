"""Vega-Lite specifications of charts, one function for each kind. page.js fills in the rows that pass the filters, and their
labels; a picture contains them. `label`: the name of the row."""

import contextlib
import gzip
import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from ecbench.documents.document import Json, to_json
from ecbench.installation.places import PAGE_FOLDER, how_to_install_charts
from ecbench.page.block import Block, Chart, Column, Form, Kind
from ecbench.point.point import figure_text
from ecbench.terminal.console import Refused

# Okabe and Ito; colour-blind readers can distinguish them. Black is left out, because it is invisible on dark pages.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8c7a3f", "#7b6fd0")
FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"
FAR = {Kind.BARS: 4.0, Kind.LINES: 2.0}  # a roofline farther away than this is not drawn
FILLED = "yes"  # value of the column `front` of a scatter


def config(is_dark: bool) -> Json:
    """The colours and fonts of all charts."""
    ink, soft, faint = ("#e6edf3", "#9aa4af", "#30363d") if is_dark else ("#1b1f24", "#57606a", "#d8dce1")
    of_axis = {"labelColor": ink, "titleColor": soft, "gridColor": faint, "domainColor": soft, "tickColor": soft,
               "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    return {"background": "transparent", "font": FONT, "aria": False, "view": {"stroke": None}, "axis": of_axis,
            "legend": {"labelColor": ink, "titleColor": soft, "labelFontSize": 12, "labelLimit": 320, "orient": "bottom",
                       "title": None, "symbolStrokeWidth": 2},
            "text": {"color": ink, "fontSize": 12}, "rule": {"color": ink}, "tick": {"color": ink},
            "style": {"interval": {"stroke": ink}, "limit": {"color": soft, "stroke": soft}, "soft": {"color": soft, "fill": soft}},
            "range": {"category": list(COLOURS)}}


def spec(chart: Chart, columns: Mapping[str, Column], is_narrow: bool = False) -> Json:
    """A specification without rows, for a page. If it has `usermeta`, its height is `step` pixels for each value of the column
    `of`; a height of Vega-Lite's own would not go with a fixed width."""
    return {"data": {"name": "rows"}, "autosize": {"type": "fit-x", "contains": "padding"},
            **MAKERS[chart.kind](chart, columns, is_narrow)}


def picture(block: Block, chart: Chart, rows: Sequence[Any], width: int, is_narrow: bool = False) -> Json:
    """A specification with rows, on white."""
    values = filled(block, chart, [row for row in rows if getattr(row, chart.value) is not None])
    made = spec(chart, block.columns, is_narrow)
    if rule := made.pop("usermeta", None):
        made["height"] = rule["step"] * len({value[rule["of"]] for value in values})
    return {**made, "data": {"values": values}, "config": config(is_dark=False), "width": width}


def filled(block: Block, chart: Chart, rows: Sequence[Any]) -> list[Json]:
    """The rows as page.js fills them in."""
    values = [{**to_json(row), "label": label} for row, label in zip(rows, block.labels(rows), strict=True)]
    highest = max((value[chart.value] for value in values), default=0)
    if chart.kind is Kind.HEAT:  # each cell shows its highest row
        cells = {(value[chart.x], value[chart.y]): value for value in sorted(values, key=lambda one: one[chart.value])
                 if None not in (value[chart.x], value[chart.y])}
        values = [{**value, "share": value[chart.value] / highest, "short": figure_text(value[chart.value])}
                  for value in sorted(cells.values(), key=lambda one: numbers_in(one[chart.y]))]
    elif chart.kind in (Kind.BARS, Kind.RATIOS):
        values = values[:chart.most]
    elif chart.kind is Kind.LINES:
        series = list(dict.fromkeys(value["label"] for value in values))[:chart.most]
        values = [value for value in values if value["label"] in series]
    for value in values:
        if chart.text == "figure":
            value["figure"] = f"{figure_text(value[chart.value])}{value['mark']} {value['interval']}"
        if (value.get(chart.limit) or 0) > FAR.get(chart.kind, math.inf) * highest:
            value[chart.limit] = None
    return values


def numbers_in(value: object) -> list[tuple[int, str]]:
    """The order of 8+3 and 16+4."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", str(value))]


def title_of(columns: Mapping[str, Column], name: str) -> str:
    return columns[name].title if name in columns else name.replace("_", " ")


def quantity(name: str, columns: Mapping[str, Column], **scale: Any) -> Json:
    return {"field": name, "type": "quantitative", "title": title_of(columns, name), **({"scale": scale} if scale else {})}


def other(name: str, chart: Chart, columns: Mapping[str, Column]) -> Json:
    """A second quantity on the axis of the chart's value; with another title, both would be the title of the axis."""
    return {"field": name, "type": "quantitative", "title": title_of(columns, chart.value)}


def colours(chart: Chart) -> Json:
    domain = {"domain": list(chart.colours)} if chart.colours else {}
    scale = {"range": list(COLOURS), **domain}
    return {"color": {"field": chart.colour, "type": "nominal", "scale": scale}} if chart.colour else {}


def names(is_narrow: bool, text: str) -> tuple[Json, list[Json]]:
    """The y axis of bars and ratios, and the layers with text. Names are at the left and figures at the right; on narrow screens,
    both are above the bars."""
    axis = {"title": None, "domain": False, "ticks": False, "labelLimit": 420, "labelPadding": 8,
            **({"labels": False} if is_narrow else {})}
    y = {"field": "label", "type": "nominal", "sort": None, "axis": axis}
    line: Json = {"type": "text", "baseline": "bottom", "dy": -3} if is_narrow else {"type": "text", "baseline": "middle"}
    figure = {"mark": {**line, "align": "right"} if is_narrow else {**line, "align": "left", "dx": 8},
              "encoding": {"x": {"value": "width"}, "text": {"field": text}}}
    name = {"mark": {**line, "align": "left", "limit": 250}, "encoding": {"x": {"value": 0}, "text": {"field": "label"}}}
    return y, [name, figure] if is_narrow else [figure]


def lower(is_narrow: bool) -> Json:
    return {"yOffset": 6} if is_narrow else {}


def bars(chart: Chart, columns: Mapping[str, Column], is_narrow: bool) -> Json:
    y, texts = names(is_narrow, chart.text)
    x = {**quantity(chart.value, columns), "axis": {"tickCount": 5 if is_narrow else 10}}
    bar = {"mark": {"type": "bar", "height": 12 if is_narrow else {"band": 0.7}, "cornerRadiusEnd": 2,
                    "tooltip": {"content": "data"}, **lower(is_narrow)}, "encoding": {"x": x, **colours(chart)}}
    layers = [bar]
    if chart.low:
        layers.append({"mark": {"type": "rule", "style": "interval", "strokeWidth": 1.5, **lower(is_narrow)},
                       "encoding": {"x": other(chart.low, chart, columns), "x2": {"field": chart.high}}})
    if chart.limit:
        layers.append({"mark": {"type": "tick", "style": "limit", "thickness": 3, "size": 18, "tooltip": {"content": "data"},
                                **lower(is_narrow)}, "encoding": {"x": other(chart.limit, chart, columns)}})
    return {"usermeta": {"step": 42 if is_narrow else 25, "of": "label"}, "encoding": {"y": y}, "layer": [*layers, *texts]}


def ratios(chart: Chart, columns: Mapping[str, Column], is_narrow: bool) -> Json:
    y, texts = names(is_narrow, chart.text)
    x = quantity(chart.value, columns, zero=False) | {"title": title_of(columns, chart.value)}
    one = {"mark": {"type": "rule", "strokeDash": [4, 3], "style": "limit"}, "encoding": {"x": {"datum": 1}}}
    interval = [{"mark": {"type": "rule", "strokeWidth": 2, **lower(is_narrow)},
                 "encoding": {"x": other(chart.low, chart, columns), "x2": {"field": chart.high}, **colours(chart)}}]
    point = {"mark": {"type": "point", "filled": True, "size": 70, "tooltip": {"content": "data"}, **lower(is_narrow)},
             "encoding": {"x": x, **colours(chart)}}
    return {"usermeta": {"step": 42 if is_narrow else 25, "of": "label"}, "layer": [
        one, *({**layer, "encoding": {"y": y, **layer["encoding"]}}
               for layer in (*(interval if chart.low else []), point, *texts))]}


def lines(chart: Chart, columns: Mapping[str, Column], is_narrow: bool) -> Json:
    """A row without x is a level."""
    is_log = columns[chart.x].form in (Form.BYTES, Form.WHOLE) and chart.x not in ("k", "m")
    scale = {"type": "log", "base": 2, "nice": False, "padding": 12} if is_log else {"zero": False, "padding": 12}
    x = quantity(chart.x, columns, **scale)
    x["axis"] = {"format": "~s" if not is_log else "d", "labelOverlap": True, "grid": False}
    x["axis"] |= bytes_labels(columns[chart.x])
    y = quantity(chart.value, columns, zero=True)
    legend = {"columns": 1 if is_narrow else 3, "symbolOpacity": 1, "symbolType": "circle"}
    series = {"color": {"field": "label", "type": "nominal", "sort": None, "scale": {"range": list(COLOURS)}, "legend": legend}}
    placed, level = ([{"filter": f"datum.{chart.x} {sign} null"}] for sign in ("!=", "=="))
    layers: list[Json] = [
        {"transform": placed, "mark": {"type": "area", "opacity": 0.18},
         "encoding": {"x": x, "y": other(chart.low, chart, columns), "y2": {"field": chart.high},
                      **series}},
        {"transform": placed, "mark": {"type": "line", "strokeWidth": 2}, "encoding": {"x": x, "y": y, **series}},
        {"transform": placed, "mark": {"type": "point", "filled": True, "size": 45, "tooltip": {"content": "data"}},
         "encoding": {"x": x, "y": y, **series}},
        {"transform": level, "mark": {"type": "rule", "strokeWidth": 2, "strokeDash": [8, 3], "tooltip": {"content": "data"}},
         "encoding": {"y": y, **series}}]
    if chart.limit:
        layers.append({"transform": [*placed, {"filter": f"datum.{chart.limit} != null"},
                                     {"aggregate": [{"op": "median", "field": chart.limit, "as": chart.limit}],
                                      "groupby": [chart.x]}],
                       "mark": {"type": "line", "style": "limit", "strokeDash": [2, 3], "strokeWidth": 1.5},
                       "encoding": {"x": x, "y": other(chart.limit, chart, columns)}})
    return {"height": 300 if is_narrow else 380, "layer": layers}


def bytes_labels(column: Column) -> Json:
    text = ("datum.value >= 1048576 ? datum.value / 1048576 + ' MiB' : datum.value >= 1024 ? datum.value / 1024 + ' KiB' : "
            "datum.value")
    return {"labelExpr": text} if column.form == Form.BYTES else {}


def words_below(column: Column, is_one_line: bool) -> Json:
    """So that the names of columns do not overlap."""
    return {"labelExpr": "split(datum.label, ' ')"} if column.form == Form.TEXT and not is_one_line else {}


def heat(chart: Chart, columns: Mapping[str, Column], is_narrow: bool) -> Json:
    """`share`: of the highest value; light cells have dark text."""
    plain = {"domain": False, "ticks": False}
    angle = {**plain, "labelAngle": -90 if is_narrow else 0, "labelLimit": 300, "orient": "top",
             "title": title_of(columns, chart.x)}
    side = {**plain, "title": None, "labelLimit": 130 if is_narrow else 380}
    x, y = ({"field": name, "type": "ordinal", "sort": None if columns[name].form == Form.TEXT else "ascending",
             "axis": {**axis, **words_below(columns[name], is_narrow or name == chart.y), **bytes_labels(columns[name])}}
            for name, axis in ((chart.x, angle), (chart.y, side)))
    cell = {"mark": {"type": "rect", "tooltip": {"content": "data"}, "stroke": "white", "strokeWidth": 1, "strokeOpacity": 0.4},
            "encoding": {"color": {"field": chart.value, "type": "quantitative", "scale": {"scheme": "viridis", "domainMin": 0},
                                   "legend": None}}}
    text = {"mark": {"type": "text", "fontSize": 11}, "encoding": {
        "text": {"field": "short"}, "color": {"condition": {"test": "datum.share > 0.55", "value": "#111"}, "value": "#fff"}}}
    return {"usermeta": {"step": 24, "of": chart.y}, "encoding": {"x": x, "y": y}, "layer": [cell, text]}


def scatter(chart: Chart, columns: Mapping[str, Column], is_narrow: bool) -> Json:
    """Filled marks: rows whose column `front` is FILLED. The row whose column `chosen` is FILLED has a ring."""
    encoding = {"x": quantity(chart.x, columns, zero=False), "y": quantity(chart.value, columns, zero=True)}
    mark = {"mark": {"type": "point", "size": 90, "strokeWidth": 1.6, "tooltip": {"content": "data"}},
            "encoding": {**encoding, **colours(chart), "shape": {"field": chart.colour, "type": "nominal"},
                         "fillOpacity": {"condition": {"test": f"datum.front == '{FILLED}'", "value": 1}, "value": 0},
                         "fill": {"field": chart.colour, "type": "nominal", "scale": {"range": list(COLOURS)}, "legend": None}}}
    ring = {"transform": [{"filter": f"datum.chosen == '{FILLED}'"}], "mark": {"type": "point", "size": 420, "style": "interval"},
            "encoding": encoding}
    name = {"transform": [{"filter": f"datum.chosen == '{FILLED}'"}],
            "mark": {"type": "text", "dy": -18, "align": "center"}, "encoding": {**encoding, "text": {"field": "label"}}}
    return {"height": 300 if is_narrow else 380, "layer": [ring, mark, name]}


MAKERS: Mapping[Kind, Callable[[Chart, Mapping[str, Column], bool], Json]] = {
    Kind.BARS: bars, Kind.LINES: lines, Kind.HEAT: heat, Kind.RATIOS: ratios, Kind.SCATTER: scatter}


# The chart library: vl-convert-python, which contains Vega and Vega-Lite. Only pages and pictures need it. scripts/install-
# deps.sh report installs it; without it, modes print text and JSON.

SNIPPET = "window.vegaEmbed = vegaEmbed;"
BUNDLE = "vega.js.gz"  # made once, because that takes seconds


class NoPage(Refused):
    """A page cannot be made on this machine."""


def library() -> ModuleType:
    """Throws NoPage."""
    for folder in PAGE_FOLDER.glob("lib/python3*/site-packages"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    try:
        import vl_convert
    except (ImportError, OSError, SyntaxError) as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "vl_convert"
        why = "vl-convert-python is not installed" if missing else f"vl-convert-python cannot be loaded ({first_line(error)})"
        raise NoPage(f"the page cannot be made: {why}; {how_to_install_charts()}") from error
    return vl_convert


def javascript() -> bytes:
    """Vega, Vega-Lite and vega-embed, compressed with gzip."""
    found = PAGE_FOLDER / BUNDLE
    with contextlib.suppress(OSError):
        return found.read_bytes()
    content = gzip.compress(str(called("javascript_bundle", SNIPPET)).encode(), mtime=0)
    with contextlib.suppress(OSError):
        if PAGE_FOLDER.is_dir():
            temporary = found.with_name(f".{BUNDLE}.{os.getpid()}")
            temporary.write_bytes(content)
            temporary.replace(found)
    return content


def svg(spec: Json) -> str:
    return re.sub(r'\s(xmlns:xlink="[^"]*"|version="1.1")', "", str(called("vegalite_to_svg", json.dumps(spec))))


def called(name: str, *arguments: object, **options: object) -> object:
    """Throws NoPage."""
    module = library()
    try:
        return getattr(module, name)(*arguments, **options)
    except (ValueError, RuntimeError, OSError, AttributeError) as error:
        why = f"vl-convert-python fails ({first_line(error)})"
        raise NoPage(f"the page cannot be made: {why}; {how_to_install_charts()}") from error


def first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
