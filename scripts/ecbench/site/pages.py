"""The pages of the site: the answers, a page for each CPU, library and code, and a page for each run."""

import dataclasses
import functools
import pathlib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ecbench.charts.drawing import Looks
from ecbench.charts.page import render
from ecbench.charts.speeds_chart import Line, Mark, draw
from ecbench.comparison.tally import lead, outcome_of, scores
from ecbench.comparison.text import ratio_text
from ecbench.point.point import bytes_text
from ecbench.point.wording import number_text
from ecbench.runfile.environment_table import environment_rows
from ecbench.runfile.machine import generation
from ecbench.runfile.run_file import Run
from ecbench.site.first_page import answer_for_ceph, first_tables, nearest, size_rows, summary_rows
from ecbench.site.results import Candidate, Result, by_table, speed_text, widest_run
from ecbench.site.section import Section, code, joined, link, shown, word_of
from ecbench.site.standing import CONFIDENCE
from markupsafe import Markup

TEMPLATE = pathlib.Path(__file__).parent / "page.html.j2"
# A page has at most 1 MiB: charts, rows of tables, and the rest.
FOR_CHARTS, FOR_ROWS = 512 << 10, 384 << 10
SETS = {"AVX-512": "avx512bw", "GFNI": "gfni", "AVX2": "avx2", "NEON": "neon", "SVE": "sve"}
INDEX = "index.html"
TERMS = ("Fastest: significantly faster than all other libraries of the run (95 % confidence). Tie: not significantly different. "
         "Unclear: a tie, but the difference may be over 10 %. Inconclusive: too noisy to know.")
ANSWERS = ("The fastest code for each k+m on one core: among Ceph's plugins isa (ISA-L) and jerasure, and of all libraries "
           f"measured, each with its confidence. {TERMS} A case: object size, encode or decode of 1 lost chunk, warm (in the "
           "cache) or cold (from memory).")
SHORT = f"GB/s on one core ± half the 95 % interval. Bold: fastest. {TERMS} !: disturbed by other programs. -: not measured."
HOW = (f"{CONFIDENCE} × the next: speed / speed of the next library. The ratio of two speeds is computed round by round, so it can "
       "be known better than the speeds. If all libraries are equally fast, at least one is called slower in at most 5 % of runs. "
       "simd: a part of ecbench, which Ceph cannot load. isa: the system's ISA-L; with a number, this version. Roofline: a loop "
       "that reads k chunks and writes the computed ones, XOR only.")


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
        sections, by_size = [], []
        for slug, found in tables.items():
            by_size.append(Section(f"{self._cpu_name(slug)}: object sizes", ["k+m", "object", *found],
                                   list(size_rows(found)), SHORT, more=cpu_page(slug), jumps=True, in_menu=False))
            rows = summary_rows(found, self._missing(slug, shapes), by_size[-1].link)
            answer = answer_for_ceph(one for results in found.values() for one in results)
            sections.append(Section(self._cpu_name(slug), ANSWER_HEAD, list(rows), answer, jumps=True))
        links = Section("Pages", ["", ""], [
            ["CPUs", joined(link(cpu_page(slug), self._cpu_name(slug)) for slug in self.results)],
            ["Libraries", joined(link(f"library-{word_of(name)}.html", name) for name in self.libraries)],
            ["Codes", joined(link(f"code-{word_of(name)}.html", name) for name in self.codes)],
            ["Runs", joined(link(run_page(run), f"{run.name} ({run.header.machine.slug})") for run in self.runs)]])
        title = f"The fastest erasure codes on {len(self.results)} CPU{'s' if len(self.results) != 1 else ''}"
        return page(title, [*sections, *by_size, links, READING], [], ANSWERS)

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
        if text := answer_for_ceph(result for results in first_tables(self.results[slug]).values() for result in results):
            texts.append(text)
        if widest:
            outcomes = [outcome_of(result.ranking, lambda one: one.library) for result in widest]
            texts.append(f"In the run {widest[0].run.name}, {lead('library', len(outcomes), scores(outcomes, self.libraries))}.")
        return texts

    def _cpu_name(self, slug: str) -> str:
        header = self.results[slug][0].run.header
        machine, flags = header.machine, header.environment.cpu.flags
        model = generation(machine) or f"family {machine.family} model {machine.model}"
        sets = [name for name, flag in SETS.items() if flag in flags and not (name == "AVX2" and SETS["AVX-512"] in flags)]
        name = re.sub(r"\((?:R|TM)\)| Processor", "", machine.cpu)
        return f"{name} ({', '.join([model, *sets])})"

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
                       [[link(run_page(run), run.name), run.header.started, link(raw_file(run), raw_file(run))] for run in runs])
        return page(self._cpu_name(slug), [*sections, every, made, READING], self._answer(slug), SHORT)

    def _listing(self, kind: str, name: str, key: Callable[[Candidate], str]) -> str:
        """The page of a library or code. Of each library, only the fastest code of a case is listed."""
        sections = [Section(self._cpu_name(slug), LIST_HEAD, rows, more=cpu_page(slug))
                    for slug, results in self.results.items() if (rows := list(list_rows(results, name, key)))]
        return page(f"{kind} {name}", [*sections, READING], [], SHORT)

    def _run(self, run: Run) -> str:
        header = run.header
        environment = [(name, [value]) for name, value in environment_rows(header, len(run.points))]
        command = f"./bench.sh {shlex.join([run.mode, *header.words]) if header.words else header.grid}"
        notes = [*run.notes, *header.environment.unfit, *header.left_out]
        slug = header.machine.slug
        files = [["Command", code(command)], ["Raw file", link(raw_file(run), raw_file(run))], ["CPU", link(cpu_page(slug), slug)]]
        points = [[code(shlex.join(["ecbench", *point.words()]))] for point in run.points.values()]
        sections = [Section("Files and command", ["", ""], files), Section("Command of each point", [""], points, folded=True)]
        return page(run.name, sections, [], f"{header.started}, {header.machine.cpu}", environment, notes)


READING = Section("How to read the tables", lead=HOW)
ANSWER_HEAD = ("k+m", "objects", "Ceph", "any program (simd is not in Ceph)")
CASE_HEAD = ("k+m", "object", "fastest", "GB/s", "confidence", "× ISA-L", "% of roofline", "run")
LIST_HEAD = ("k+m", "object", "case", "code", "GB/s", "verdict", "× ISA-L", "% of roofline")


def page(title: str, sections: Sequence[Section], answers: Sequence[str], lead: str,
         environment: Sequence[tuple[str, list[str]]] = (), notes: Sequence[str] = ()) -> str:
    """If the rows need more than FOR_ROWS, each section gets an equal share of FOR_ROWS."""
    share = FOR_ROWS // len(sections) if sum(section.size for section in sections) > FOR_ROWS else FOR_ROWS
    return render(TEMPLATE, mode="site", title=title, index=INDEX, answers=answers, lead=lead, is_void=False,
                  sections=[(section, shown(section.lines, share)) for section in sections], environment=environment,
                  troubles=[("", notes)] if notes else [])


def fastest_row(result: Result) -> list[str]:
    first, unclear = result.first, result.ranking.inconclusive
    figures: list[str] = ["-"] * 2 if unclear else [first.name, speed_text(first)]
    ratios = (["-"] * 2 if unclear else
              [ratio_text(result.ratio_to_isa(first), between=" to "), number_text(first.percent_of_limit, 0)])
    return [*result.case.cells, *figures, result.remarks, *ratios, link(run_page(result.run), result.run.name)]


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


def cpu_page(slug: str) -> str:
    return f"cpu-{word_of(slug)}.html"


def run_page(run: Run) -> str:
    return f"run-{word_of(run.header.machine.slug)}-{word_of(run.name)}.html"


def raw_file(run: Run) -> str:
    """The copy of the run file."""
    return f"runs/{word_of(run.header.machine.slug)}/{word_of(run.name)}.jsonl.gz"
