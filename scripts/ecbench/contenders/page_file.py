"""The page of a run of contenders: one file of HTML that needs nothing else, with charts, all tables, and the figures as JSON."""

import html
import pathlib
import string

from ecbench.charts import available
from ecbench.contenders import json_lines, order, tables
from ecbench.contenders.naming import version_lines
from ecbench.files.written_files import check_apart, check_replaceable, write_all

FOLDER = pathlib.Path(__file__).parent
MARK = '<meta name="generator" content="ecbench contenders">'
PROGRAM = "bench.sh contenders"


class PageFile:
    """Beside the run, under a name that leaves that of bench.sh report free."""

    def __init__(self, run_path):
        self._run_path = pathlib.Path(run_path)
        self.path = self._run_path.with_name(f"{self._run_path.stem}-page.html")

    def check(self):
        """Throws Refused where something else is there."""
        check_apart([("the page", self.path)], [("the run", self._run_path)])
        check_replaceable(self.path, MARK, PROGRAM)

    def write(self, results):
        """Returns where it is; None without matplotlib, as a run of an hour must not need it. Raises Refused."""
        if available.missing():
            return None
        self.check()
        write_all({self.path: text_of(results)})
        return self.path


def text_of(results):
    template = string.Template((FOLDER / "page.html").read_text("utf-8"))
    from ecbench.charts.drawing import Looks
    looks = Looks(results.contestants)
    by_table = results.tables()
    css = (FOLDER.parent / "charts" / "page.css").read_text("utf-8") + (FOLDER / "page.css").read_text("utf-8")
    return template.substitute(
        mark=MARK, css=css, title=escaped(results.run.name), lead=lead(results), troubles=troubles(results), how=how_text(),
        charts="\n".join(panel(title, standings, looks) for title, standings in by_table.items()),
        explanation=escaped(tables.legend(results)), speeds="\n".join(
            section(title, tables.speeds(results, standings), 2) for title, standings in by_table.items()),
        certainty=escaped(tables.certainty_text(results)), wins=table_html(tables.win_rows(results), 1),
        fastest="\n".join(section(title, tables.fastest(standings), 4) for title, standings in by_table.items()),
        calls=calls(results), order=paragraphs(order.lines(results)) or "<p>No case of that measurement is in this run.</p>",
        ran=ran(results), data="[" + ",\n".join(json_lines.lines(results)).replace("<", "\\u003c") + "]")


def escaped(text):
    return html.escape(str(text))


def how_text():
    return ("Each line is one case: all contestants on objects of one size, k data and m coding chunks. Farther to the right is "
            "faster; the scale is logarithmic, and faint marks at its left end are slower than that. The bar is the limit, what "
            "reading the chunks and writing as many as a call computes costs on this machine. Decode 1 and decode 2 lose one and "
            "two chunks.")


def lead(results):
    header = results.run.header
    return escaped(f"{len(results.standings)} cases, {len(results.contestants)} contestants on {header['machine']['cpu']}, "
                   f"{header['repetitions']} interleaved rounds of {header['options']['min_time']:g} s each, started "
                   f"{header['started'][:16].replace('T', ' ')}.")


def troubles(results):
    """What a reader must know before he believes a figure."""
    header = results.run.header
    lines = [*results.disqualified(), *results.run.notes, *header["environment"]["unfit"], *header.get("left_out", [])]
    if not lines:
        return ""
    items = "".join(f"<li>{escaped(line)}</li>" for line in lines)
    return f'<section class="troubles" aria-label="What to know first"><h2>Know first</h2><ul>{items}</ul></section>'


def panel(title, standings, looks):
    from ecbench.contenders import chart
    return (f'<figure><figcaption>{escaped(title)}</figcaption><div class="box" tabindex="0" role="region" '
            f'aria-label="{escaped(title)}">{chart.draw(title, standings, looks)}</div></figure>')


def section(title, rows, left):
    return f"<h3>{escaped(title)}</h3>\n{table_html(rows, left)}"


def table_html(rows, left):
    """Of lines of cells, the titles first; the first `left` columns are text. A line with another first cell begins a group."""
    head = "".join(f'<th scope="col"{number_class(column, left)}>{escaped(cell)}</th>' for column, cell in enumerate(rows[0]))
    body, before = [], None
    for cells in rows[1:]:
        begins = ' class="first"' if cells[0] != before else ""
        body.append(f"<tr{begins}>" + "".join(cell_html(column, cell, left) for column, cell in enumerate(cells)) + "</tr>")
        before = cells[0]
    return ('<div class="box" tabindex="0" role="region" aria-label="Table"><table class="cases"><thead>'
            f"<tr>{head}</tr></thead><tbody>\n" + "\n".join(body) + "\n</tbody></table></div>")


def number_class(column, left, also=""):
    words = " ".join(word for word in ("number" if column >= left else "", also) if word)
    return f' class="{words}"' if words else ""


def cell_html(column, cell, left):
    if column == 0:
        return f'<th scope="row">{escaped(cell)}</th>'
    best = "fastest" if cell.startswith(tables.FASTEST) else ""
    return f"<td{number_class(column, left, best)}>{escaped(cell)}</td>"


def calls(results):
    rows = tables.call_rows(results)
    if len(rows) == 1:
        return "<p>No row of this run tells.</p>"
    return f"<p>{escaped(tables.call_title(results))}</p>" + table_html(rows, 1)


def paragraphs(lines):
    """Indented as printed."""
    return "".join(f'<p class="in{(len(line) - len(line.lstrip())) // 2}">{escaped(line.strip())}</p>' for line in lines)


def ran(results):
    header = results.run.header
    cpu, system = header["environment"]["cpu"], header["environment"].get("system", {})
    rows = [*version_lines(results.run), ("CPU", f"{header['machine']['cpu']}, {' '.join(cpu.get('flags', []))}"),
            ("Kernel, libc", f"{system.get('kernel_release')}, {system.get('libc')}"),
            ("Measured", f"bench.sh {header['grid']} --rounds {header['repetitions']} --min-time {header['options']['min_time']:g} "
                         f"--seed {header['seed']}")]
    body = "".join(f'<tr><th scope="row">{escaped(name)}</th><td>{escaped(text)}</td></tr>' for name, text in rows)
    return f'<div class="box"><table class="environment"><tbody>{body}</tbody></table></div>'
