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
TIP = {"content": "data"}  # the tooltip shows the row


def config(is_dark: bool) -> Json:
    """The colours and fonts of all charts."""
    ink, soft, faint = ("#e6edf3", "#9aa4af", "#30363d") if is_dark else ("#1b1f24", "#57606a", "#d8dce1")
    of_axis = {"labelColor": ink, "titleColor": soft, "gridColor": faint, "domainColor": soft, "tickColor": soft,
               "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    return {"background": "transparent", "font": FONT, "aria": False, "view": {"stroke": None}, "axis": of_axis,
            "legend": {"labelColor": ink, "titleColor": soft, "labelFontSize": 12, "labelLimit": 320, "orient": "bottom",
                       "title": None, "symbolStrokeWidth": 2},
            "text": {"color": ink, "fontSize": 12}, "point": {"opacity": 1}, "rule": {"color": ink}, "tick": {"color": ink},
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
        order = list(dict.fromkeys(getattr(row, chart.y) for row in block.rows))
        cells = {(value[chart.x], value[chart.y]): value for value in sorted(values, key=lambda one: one[chart.value])
                 if None not in (value[chart.x], value[chart.y])}
        values = [{**value, "share": value[chart.value] / highest, "short": figure_text(value[chart.value])}
                  for value in sorted(cells.values(), key=lambda one: order.index(one[chart.y]))]
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


def title_of(columns: Mapping[str, Column], name: str) -> str:
    return columns[name].title if name in columns else name.replace("_", " ")


def quantity(name: str, columns: Mapping[str, Column], of: str = "", **scale: Any) -> Json:
    """`of`: the quantity that has the title of the axis; with several titles, the axis would have all of them."""
    found = {"field": name, "type": "quantitative", "title": title_of(columns, of or name)}
    return {**found, "scale": scale} if scale else found


def layer(mark: str, encoding: Json, transform: Sequence[Json] = (), **style: Any) -> Json:
    return {"mark": {"type": mark, **style}, "encoding": encoding, **({"transform": list(transform)} if transform else {})}


def colours(chart: Chart) -> Json:
    domain = {"domain": list(chart.colours)} if chart.colours else {}
    scale = {"range": list(COLOURS), **domain}
    return {"color": {"field": chart.colour, "type": "nominal", "scale": scale}} if chart.colour else {}


def bars(chart: Chart, columns: Mapping[str, Column], is_narrow: bool) -> Json:
    """Also ratios, as points around 1. Names are at the left and figures at the right; on narrow screens, both are above the marks,
    on two lines."""
    is_ratio, style = chart.kind is Kind.RATIOS, Json(yOffset=14) if is_narrow else {}
    axis = {"title": None, "domain": False, "ticks": False, "labelLimit": 420, "labelPadding": 8, "labels": not is_narrow}
    x = quantity(chart.value, columns, zero=False) if is_ratio else {
        **quantity(chart.value, columns), "axis": {"tickCount": 5 if is_narrow else 10}}
    look: Json = {"filled": True, "size": 70} if is_ratio else {"height": 12 if is_narrow else {"band": 0.7}, "cornerRadiusEnd": 2}
    layers = [layer("point" if is_ratio else "bar", {"x": x, **colours(chart)}, **look, tooltip=TIP, **style)]
    if chart.low:
        ends = {"x": quantity(chart.low, columns, chart.value), "x2": {"field": chart.high}}
        layers.append(layer("rule", ends, style="interval", strokeWidth=1.5, **style))
    if chart.limit:
        limit = {"x": quantity(chart.limit, columns, chart.value)}
        layers.append(layer("tick", limit, style="limit", thickness=3, size=18, tooltip=TIP, **style))
    above = Json(baseline="bottom", align="left", limit=350)
    texts = [("label", 0, Json(dy=-9, **above)), (chart.text, 0, Json(dy=6, **above))] if is_narrow else [
        (chart.text, "width", Json(baseline="middle", align="left", dx=8))]
    layers += [layer("text", {"x": {"value": place}, "text": {"field": field}}, **look) for field, place, look in texts]
    marks = {"encoding": {"y": {"field": "label", "type": "nominal", "sort": None, "axis": axis}}, "layer": layers}
    equal = [layer("rule", {"x": {"datum": 1}}, strokeDash=[4, 3], style="limit")] if is_ratio else []
    return {"usermeta": {"step": 56 if is_narrow else 25, "of": "label"}, "layer": [*equal, marks]}


def lines(chart: Chart, columns: Mapping[str, Column], is_narrow: bool) -> Json:
    """A row without x is a level."""
    is_log = columns[chart.x].form in (Form.BYTES, Form.WHOLE)
    scale = {"type": "log", "base": 2, "nice": False} if is_log else {"zero": False}
    axis = {"format": "d" if is_log else "~s", "labelOverlap": True, "grid": False, **bytes_labels(columns[chart.x])}
    x = {**quantity(chart.x, columns, **scale, padding=12), "axis": axis}
    y = quantity(chart.value, columns, zero=True)
    legend = {"columns": 1 if is_narrow else 3, "symbolOpacity": 1, "symbolType": "circle"}
    series = {"color": {"field": "label", "type": "nominal", "sort": None, "scale": {"range": list(COLOURS)}, "legend": legend}}
    placed, level = ([{"filter": f"datum.{chart.x} {sign} null"}] for sign in ("!=", "=="))
    ends = {"y": quantity(chart.low, columns, chart.value), "y2": {"field": chart.high}}
    layers = [layer("area", {"x": x, **ends, **series}, placed, opacity=0.18),
              layer("line", {"x": x, "y": y, **series}, placed, strokeWidth=2),
              layer("point", {"x": x, "y": y, **series}, placed, filled=True, size=45, tooltip=TIP),
              layer("rule", {"y": y, **series}, level, strokeWidth=2, strokeDash=[8, 3], tooltip=TIP)]
    if chart.limit:
        middle = {"aggregate": [{"op": "median", "field": chart.limit, "as": chart.limit}], "groupby": [chart.x]}
        layers.append(layer("line", {"x": x, "y": quantity(chart.limit, columns, chart.value)},
                            [*placed, {"filter": f"datum.{chart.limit} != null"}, middle], style="limit", strokeDash=[2, 3],
                            strokeWidth=1.5))
    return {"height": 300 if is_narrow else 380, "layer": layers}


def bytes_labels(column: Column) -> Json:
    text = ("datum.value >= 1048576 ? datum.value / 1048576 + ' MiB' : datum.value >= 1024 ? datum.value / 1024 + ' KiB' : "
            "datum.value")
    return {"labelExpr": text} if column.form == Form.BYTES else {}


def heat(chart: Chart, columns: Mapping[str, Column], is_narrow: bool) -> Json:
    """`share`: of the highest value; light cells have dark text. The names of columns have a word on each line, so that they do not
    overlap."""
    plain = {"domain": False, "ticks": False}
    above = {**plain, "labelAngle": -90 if is_narrow else 0, "labelLimit": 300, "orient": "top"}
    above["title"] = title_of(columns, chart.x)
    if columns[chart.x].form == Form.TEXT and not is_narrow:
        above["labelExpr"] = "split(datum.label, ' ')"
    side = {**plain, "title": None, "labelLimit": 130 if is_narrow else 380}
    x, y = ({"field": name, "type": "ordinal", "sort": None if columns[name].form == Form.TEXT else "ascending",
             "axis": {**axis, **bytes_labels(columns[name])}} for name, axis in ((chart.x, above), (chart.y, side)))
    colour = {"field": chart.value, "type": "quantitative", "scale": {"scheme": "viridis", "domainMin": 0}, "legend": None}
    ink = {"condition": {"test": "datum.share > 0.55", "value": "#111"}, "value": "#fff"}
    step, first, transform, between = 24, 0, [], " " if is_narrow else "|"
    if chart.inside:
        step, first = (66, -22) if is_narrow else (38, -7)
        transform = [{"calculate": f"split(datum.short + '{between}' + datum.{chart.inside}, '{between}')", "as": "short"}]
    return {"usermeta": {"step": step, "of": chart.y}, "encoding": {"x": x, "y": y}, "layer": [
        layer("rect", {"color": colour}, tooltip=TIP, stroke="white", strokeWidth=1, strokeOpacity=0.4),
        layer("text", {"text": {"field": "short"}, "color": ink}, transform, fontSize=11, lineHeight=13, dy=first)]}


def scatter(chart: Chart, columns: Mapping[str, Column], is_narrow: bool) -> Json:
    """Filled marks: rows whose column `front` is FILLED. The row whose column `chosen` is FILLED has a ring."""
    place = {"x": quantity(chart.x, columns, zero=False, padding=12), "y": quantity(chart.value, columns, zero=True)}
    kind = {"field": chart.colour, "type": "nominal"}
    encoding = {**place, **colours(chart), "shape": kind, "fill": {**kind, "scale": {"range": list(COLOURS)}},
                "fillOpacity": {"condition": {"test": f"datum.front == '{FILLED}'", "value": 0.6}, "value": 0}}
    chosen = [{"filter": f"datum.chosen == '{FILLED}'"}]
    return {"height": 300 if is_narrow else 380, "layer": [
        layer("point", place, chosen, size=420, style="interval"), layer("point", encoding, size=90, strokeWidth=1.6, tooltip=TIP),
        layer("text", {**place, "text": {"field": "label"}}, chosen, dy=-18, align="center")]}


MAKERS: Mapping[Kind, Callable[[Chart, Mapping[str, Column], bool], Json]] = {
    Kind.BARS: bars, Kind.LINES: lines, Kind.HEAT: heat, Kind.RATIOS: bars, Kind.SCATTER: scatter}


# The chart library: vl-convert-python, which contains Vega and Vega-Lite. Only pages and pictures need it. scripts/install-
# deps.sh report installs it; without it, modes print text and JSON.

SNIPPET = "window.vegaEmbed = vegaEmbed;"


class NoPage(Refused):
    """A page cannot be made on this machine."""


def javascript() -> bytes:
    """Vega, Vega-Lite and vega-embed, compressed with gzip."""
    found = PAGE_FOLDER / "vega.js.gz"  # made once, because that takes seconds
    with contextlib.suppress(OSError):
        return found.read_bytes()
    content = gzip.compress(str(called("javascript_bundle", SNIPPET)).encode(), mtime=0)
    with contextlib.suppress(OSError):
        temporary = found.with_name(f".{found.name}.{os.getpid()}")
        temporary.write_bytes(content)
        temporary.replace(found)
    return content


def svg(spec: Json) -> str:
    return re.sub(r'\s(xmlns:xlink="[^"]*"|version="1.1")', "", str(called("vegalite_to_svg", json.dumps(spec))))


def called(name: str, *arguments: str) -> object:
    """Calls a function of the library. Throws NoPage."""
    for folder in PAGE_FOLDER.glob("lib/python3*/site-packages"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    try:
        import vl_convert
        return getattr(vl_convert, name)(*arguments)
    except (ImportError, OSError, SyntaxError, ValueError, RuntimeError, AttributeError) as error:
        is_missing = isinstance(error, ModuleNotFoundError) and error.name == "vl_convert"
        line, *_ = str(error).strip().splitlines() or [type(error).__name__]
        why = "is not installed" if is_missing else f"fails ({line})"
        raise NoPage(f"the page cannot be made: vl-convert-python {why}; {how_to_install_charts()}") from error
