"""The pages of the site: the answers, a page for each CPU, library and code, and a page for each run."""

import collections
import dataclasses
import functools
import itertools
import pathlib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ecbench.charts.drawing import Looks
from ecbench.charts.page import render
from ecbench.charts.speeds_chart import Line, Mark, draw
from ecbench.comparison.questions import FASTER, direction
from ecbench.comparison.tally import lead, outcome_of, scores
from ecbench.comparison.text import ratio_text
from ecbench.point.point import bytes_text
from ecbench.point.wording import number_text
from ecbench.runfile.environment import environment_rows
from ecbench.runfile.machine import generation
from ecbench.runfile.run_file import Run
from ecbench.site.results import Candidate, Result, by_table, speed_text, widest_run
from markupsafe import Markup

TEMPLATE = pathlib.Path(__file__).parent / "page.html.j2"
# A page has at most 1 MiB: charts, rows of tables, and the rest.
FOR_CHARTS, FOR_ROWS = 512 << 10, 384 << 10
FIRST_TABLES = ("encode, warm", "encode, cold", "decode, 1 lost, warm", "decode, 1 lost, cold")
SETS = {"AVX-512": "avx512bw", "GFNI": "gfni", "AVX2": "avx2", "NEON": "neon", "SVE": "sve"}
INDEX = "index.html"
SHORT = ("GB/s on one core ± half the 95 % interval. Fastest: significantly faster than all other libraries of the run (× the "
         "next). Tie: not significantly slower. Unclear: a tie that may be over 10 % slower. Of these libraries, Ceph has only isa "
         "(ISA-L) and jerasure.")
HOW = ("The ratio of two speeds is computed round by round, so it can be known better than the speeds. If all libraries are "
       "equally fast, at least one is called slower in at most 5 % of runs. !: disturbed by other programs. -: not measured. Warm: "
       "in the cache; cold: from memory. simd: a part of ecbench. isa: the system's ISA-L; with a number, this version. Roofline: "
       "a loop that reads k chunks and writes the computed ones, XOR only.")


@dataclasses.dataclass(frozen=True)
class Section:
    title: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    lead: str = ""
    charts: Sequence[tuple[str, Markup]] = ()
    folded: bool = False
    more: str = ""  # page that has the rows that were left out
    jumps: bool = False  # whether links lead to the first row with each text in the first cell

    @property
    def anchor(self) -> str:
        return word_of(self.title)

    @functools.cached_property
    def lines(self) -> list[Markup]:
        """The rows as HTML; built here because a loop in a template is slow."""
        return [self._group(number) + Markup("<tr>") + Markup("").join(self._cells(row)) + "\n"
                for number, row in enumerate(self.rows)]

    def _cells(self, row: Sequence[str]) -> Iterator[Markup]:
        """The last cell of a short row fills the row. With jumps, narrow screens show each row as a list, whose labels are the
        heads of the columns."""
        for number, cell in enumerate(row, 1):
            if self.head[len(row):] and number == len(row):
                yield Markup('<td colspan="{}">{}').format(len(self.head) - number + 1, cell)
            elif self.jumps:
                yield Markup('<td data-head="{}">{}').format(self.head[number - 1], cell)
            else:
                yield Markup("<td>{}").format(cell)

    def _group(self, number: int) -> str:
        """Begins the group of rows with the same first cell."""
        first = self.rows[number][0]
        is_first = self.jumps and (not number or self.rows[number - 1][0] != first)
        return Markup('</tbody><tbody id="{}">').format(self.target(first)) if is_first else ""

    def target(self, first: str) -> str:
        return f"{self.anchor}-{first}"

    def targets(self, shown: int) -> list[str]:
        """The texts to which links lead."""
        return list(dict.fromkeys(row[0] for row in self.rows[:shown])) if self.jumps else []

    @property
    def size(self) -> int:
        return sum(len(line.encode()) for line in self.lines)


@dataclasses.dataclass(frozen=True)
class Site:
    results: Mapping[str, list[Result]]  # by machine
    runs: Sequence[Run]

    def pages(self) -> Iterator[tuple[str, str]]:
        """Yields the names and texts of the pages."""
        makers: list[tuple[str, Callable[[], str]]] = [(INDEX, self._index)]
        makers += [(cpu_page(slug), functools.partial(self._cpu, slug)) for slug in self.results]
        makers += [(f"library-{word_of(name)}.html", functools.partial(self._listing, "library", name, lambda one: one.library))
                   for name in self.libraries]
        makers += [(f"code-{word_of(name)}.html", functools.partial(self._listing, "code", name, technique_of))
                   for name in self.codes]
        makers += [(run_page(run), functools.partial(self._run, run)) for run in self.runs]
        for name, make in makers:
            yield name, make()

    @property
    def _candidates(self) -> Iterator[Candidate]:
        return (one for results in self.results.values() for result in results for one in result.ranking.order)

    @functools.cached_property
    def libraries(self) -> list[str]:
        return sorted({one.library for one in self._candidates})

    @functools.cached_property
    def codes(self) -> list[str]:
        return sorted({technique_of(one) for one in self._candidates} - {""})

    def _index(self) -> str:
        tables = {slug: found for slug, results in self.results.items() if (found := first_tables(results))}
        shapes = {slug: {result.case.shape for results in found.values() for result in results} for slug, found in tables.items()}
        sections = []
        for slug, found in tables.items():
            rows = list(index_rows(found, self._missing(slug, shapes)))
            sections.append(Section(self._cpu_name(slug), ["k+m", "object", *found], rows, " ".join(self._answer(slug)),
                                    more=cpu_page(slug), jumps=True))
        links = Section("Pages", ["", ""], [
            ["CPUs", joined(link(cpu_page(slug), self._cpu_name(slug)) for slug in self.results)],
            ["Libraries", joined(link(f"library-{word_of(name)}.html", name) for name in self.libraries)],
            ["Codes", joined(link(f"code-{word_of(name)}.html", name) for name in self.codes)],
            ["Runs", joined(link(run_page(run), f"{run.name} ({run.header['machine']['slug']})") for run in self.runs)]])
        title = f"The fastest erasure codes on {len(self.results)} CPU{'s' if len(self.results) != 1 else ''}"
        return page(title, [*sections, links, READING], [], SHORT)

    def _missing(self, slug: str, shapes: Mapping[str, set[str]]) -> dict[str, Markup]:
        """k+m that only other CPUs have → what the first page shows instead. `shapes`: the k+m of each CPU."""
        def to(other: str, shape: str, text: str) -> Markup:
            return link(f"#{word_of(self._cpu_name(other))}-{shape}", text)
        found = {}
        for shape in set().union(*shapes.values()) - shapes[slug]:
            here = joined(to(slug, near, near) for near in nearest(shape, shapes[slug]))
            elsewhere = joined(to(other, shape, self._cpu_name(other)) for other in shapes if shape in shapes[other])
            found[shape] = Markup("not measured on this CPU, so there is no answer{}; measured on {}").format(
                here and Markup("; nearest here: ") + here, elsewhere)
        return found

    def _answer(self, slug: str) -> list[str]:
        texts, widest = [], widest_run(self.results[slug])
        if text := in_ceph(result for results in first_tables(self.results[slug]).values() for result in results):
            texts.append(text)
        if widest:
            outcomes = [outcome_of(result.ranking, lambda one: one.library) for result in widest]
            texts.append(f"In the run {widest[0].run.name}, {lead('library', len(outcomes), scores(outcomes, self.libraries))}.")
        return texts

    def _cpu_name(self, slug: str) -> str:
        header = self.results[slug][0].run.header
        machine, flags = header["machine"], header["environment"]["cpu"].get("flags", [])
        model = generation(machine) or f"family {machine.get('family')} model {machine.get('model')}"
        sets = [name for name, flag in SETS.items() if flag in flags and not (name == "AVX2" and SETS["AVX-512"] in flags)]
        return f"{machine['cpu']} ({', '.join([model, *sets])})"

    def _cpu(self, slug: str) -> str:
        results, size = self.results[slug], 0
        looks = Looks(dict.fromkeys(library for result in results for library in sorted(result.libraries)))
        sections = []
        for title, cases in by_table(results).items():
            compared = [result for result in cases if result.is_comparison]
            chart = Markup(draw(title, [line_of(result) for result in compared], looks)) if compared else Markup("")
            size += len(chart)
            shown = [(title, chart)] if chart and size < FOR_CHARTS else []
            sections.append(Section(title, CASE_HEAD, [fastest_row(result) for result in cases], charts=shown))
        every = Section("Every library", LIST_HEAD, list(list_rows(results, "", lambda one: one.library)), folded=True)
        runs = {result.run.name: result.run for result in results}.values()
        made = Section("How it was measured", ["run", "started", "raw file"],
                       [[link(run_page(run), run.name), run.header["started"], link(raw_file(run), raw_file(run))] for run in runs])
        return page(self._cpu_name(slug), [*sections, every, made, READING], self._answer(slug), SHORT)

    def _listing(self, kind: str, name: str, key: Callable[[Candidate], str]) -> str:
        """The page of a library or code. Of each library, only the fastest code of a case is listed."""
        sections = [Section(self._cpu_name(slug), LIST_HEAD, rows, more=cpu_page(slug))
                    for slug, results in self.results.items() if (rows := list(list_rows(results, name, key)))]
        return page(f"{kind} {name}", [*sections, READING], [], SHORT)

    def _run(self, run: Run) -> str:
        header = run.header
        environment = [(name, [value]) for name, value in environment_rows(header, len(run.points))]
        command = f"./bench.sh {shlex.join([run.mode, *header['words']]) if header.get('words') else header['grid']}"
        notes = [*run.notes, *header["environment"].get("unfit", []), *header.get("left_out", [])]
        slug = header["machine"]["slug"]
        files = [["Command", code(command)], ["Raw file", link(raw_file(run), raw_file(run))], ["CPU", link(cpu_page(slug), slug)]]
        points = [[code(shlex.join(["ecbench", *point.words()]))] for point in run.points.values()]
        sections = [Section("Files and command", ["", ""], files), Section("Command of each point", [""], points, folded=True)]
        return page(run.name, sections, [], f"{header['started']}, {header['machine']['cpu']}", environment, notes)


READING = Section("How to read the tables", lead=HOW)
CASE_HEAD = ("k+m", "object", "fastest", "GB/s", "confidence", "× ISA-L", "% of roofline", "run")
LIST_HEAD = ("k+m", "object", "case", "code", "GB/s", "verdict", "× ISA-L", "% of roofline")


def page(title: str, sections: Sequence[Section], answers: Sequence[str], lead: str,
         environment: Sequence[tuple[str, list[str]]] = (), notes: Sequence[str] = ()) -> str:
    """If the rows need more than FOR_ROWS, each section gets an equal share of FOR_ROWS."""
    share = FOR_ROWS // len(sections) if sum(section.size for section in sections) > FOR_ROWS else FOR_ROWS
    return render(TEMPLATE, mode="site", title=title, index=INDEX, answers=answers, lead=lead, is_void=False,
                  sections=[(section, shown(section.lines, share)) for section in sections], environment=environment,
                  troubles=[("", notes)] if notes else [])


def shown(lines: Sequence[Markup], most: int) -> list[Markup]:
    ends = itertools.accumulate(len(line.encode()) for line in lines)
    return [line for line, end in zip(lines, ends) if end <= most]


def first_tables(results: Sequence[Result]) -> dict[str, list[Result]]:
    tables = by_table([result for result in results if result.is_comparison])
    return {title: tables[title] for title in FIRST_TABLES if title in tables}


def in_ceph(results: Iterable[Result]) -> str:
    """Which of Ceph's plugins is the fastest, for each workload."""
    by_workload: dict[str, list[Result]] = {}
    for result in results:
        by_workload.setdefault(result.case.workload, []).append(result)
    texts = [f"{workload}: {text}" for workload, members in by_workload.items() if (text := fastest_of_ceph(members))]
    return f"Fastest in Ceph: {'; '.join(texts)}." if texts else ""


def fastest_of_ceph(results: Iterable[Result]) -> str:
    leads = [(result, best.point.plugin, lead.median if direction(lead) == FASTER else None) for result in results
             if not result.failed and (best := result.best_of_ceph) and (lead := result.lead_in_ceph)]
    counts = collections.Counter(name for _, name, ratio in leads if ratio)
    if not counts:
        return ""
    (first, count), *others = counts.most_common()
    ratios = [ratio for _, name, ratio in leads if name == first and ratio]
    text = f"{first} in {count} of {len(leads)} cases, {min(ratios):.1f} to {max(ratios):.1f} times as fast as the next plugin"
    for name, number in others:
        where = [f"{result.table}, {bytes_text(result.case.size)}" for result, other, ratio in leads if other == name and ratio]
        text += f"; {name} in {number}" + (f" ({where[0]})" if number == 1 else "")
    return text


def shape_summary(results: Sequence[Result]) -> Markup:
    outcomes = [outcome_of(result.ranking, lambda one: one.library) for result in results]
    ranked = scores(outcomes, sorted({name for result in results for name in result.libraries}))
    every = ", ".join(f"{score.name} in {score.fastest}" for score in ranked[:3] if score.fastest)
    doubts = dict.fromkeys(doubt for result in results for doubt in result.doubts)
    parts = [("In Ceph: ", fastest_of_ceph(results)), ("Of all libraries: ", every and f"{every} of {len(results)} cases"),
             ("", "; ".join(doubts))]
    return Markup("<br>").join(f"{name}{text}" for name, text in parts if text)


def nearest(shape: str, shapes: Iterable[str]) -> list[str]:
    """The two shapes with the same m and the closest k."""
    k, m = k_and_m(shape)
    same = [one for one in shapes if k_and_m(one)[1] == m]
    return sorted(sorted(same, key=lambda one: abs(k_and_m(one)[0] - k))[:2], key=k_and_m)


def k_and_m(shape: str) -> tuple[int, int]:
    k, m = map(int, shape.split("+"))
    return k, m


def index_rows(tables: Mapping[str, list[Result]], missing: Mapping[str, Markup]) -> Iterator[list[str]]:
    """`missing`: k+m that only other CPUs have → what is shown instead."""
    measured: dict[str, dict[int, dict[str, Result]]] = {}
    for title, results in tables.items():
        for result in results:
            measured.setdefault(result.case.shape, {}).setdefault(result.case.size, {})[title] = result
    for shape in sorted({*measured, *missing}, key=k_and_m):
        if shape in missing:
            yield [shape, "-", missing[shape]]
            continue
        yield [shape, "all", shape_summary([result for by_title in measured[shape].values() for result in by_title.values()])]
        for size, by_title in sorted(measured[shape].items()):
            yield [shape, bytes_text(size), *(answer_cell(by_title.get(title)) for title in tables)]


def answer_cell(result: Result | None) -> str:
    if result is None:
        return "-"
    if result.ranking.inconclusive:
        return Markup("<small>{}</small>").format(result.certainty)
    first, best = result.first, result.best_of_ceph
    name = Markup("{}" if result.tied(unclear=True) else "<b>{}</b>").format(first.name)
    certainty = "; ".join([result.certainty, *result.doubts])
    text = Markup("{} {} <small>{}</small>").format(name, speed_text(first), certainty)
    if best is None or len(result.libraries) == 2:
        return text
    lead, following = result.lead_in_ceph, result.next_of_ceph
    ratio = ""
    if lead and following:
        much = f"{ratio_text(lead, between=' to ')} ×" if direction(lead) == FASTER else "not significantly faster than"
        ratio = f", {much} {following.library}"
    return text + Markup("<small>Ceph: {} {}{}</small>").format(best.name, speed_text(best), ratio)


def fastest_row(result: Result) -> list[str]:
    first, unclear = result.first, result.ranking.inconclusive
    figures: list[str] = ["-"] * 2 if unclear else [first.name, speed_text(first)]
    ratios = (["-"] * 2 if unclear else
              [ratio_text(result.ratio_to_isa(first), between=" to "), number_text(first.percent_of_limit, 0)])
    return [*result.case.cells, *figures, result.certainty, *ratios, link(run_page(result.run), result.run.name)]


def list_rows(results: Iterable[Result], name: str, key: Callable[[Candidate], str]) -> Iterator[list[str]]:
    """A row for the fastest code of each library in each case; `name`: only candidates with this key."""
    for result in results:
        best: dict[tuple[str, str], Candidate] = {}
        for one in result.ranking.order:
            if name in ("", key(one)):
                best.setdefault((one.library, key(one)), one)
        for one in best.values():
            yield [*result.case.cells, result.table, one.name, speed_text(one), result.verdict(one),
                   ratio_text(result.ratio_to_isa(one), between=" to "), number_text(one.percent_of_limit, 0)]


def technique_of(candidate: Candidate) -> str:
    return candidate.code.split()[0] if candidate.code else ""


def line_of(result: Result) -> Line:
    limit = result.first.percent_of_limit
    marks = [Mark(library, best.speed.median) for library in sorted(result.libraries) if (best := result.best_of(library))]
    marks.sort(key=lambda mark: -mark.gb_per_s)
    label = f"{result.case.shape}  {bytes_text(result.case.size)}"
    return Line(label, f"{label}, {result.table}", marks,
                100 * result.first.speed.median / limit if limit else None)


def link(target: str, text: str) -> Markup:
    return Markup('<a href="{}">{}</a>').format(target, text)


def code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(text)


def joined(links: Iterable[Markup]) -> Markup:
    return Markup(", ").join(links)


def word_of(name: str) -> str:
    return re.sub(r"[^a-z0-9_.]+", "-", name.lower()).strip("-.") or "none"


def cpu_page(slug: str) -> str:
    return f"cpu-{word_of(slug)}.html"


def run_page(run: Run) -> str:
    return f"run-{word_of(run.header['machine']['slug'])}-{word_of(run.name)}.html"


def raw_file(run: Run) -> str:
    """The copy of the run file."""
    return f"runs/{word_of(run.header['machine']['slug'])}/{word_of(run.name)}.jsonl.gz"
