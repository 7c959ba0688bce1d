"""bench.sh run: measures the points of an experiment, compares them, and writes a run file. Exit codes: 0 even if some
points failed; 1 for bad input, or if all failed; 2 after wrong bytes; 128 + the signal's number."""

import argparse
import dataclasses
import os
import pathlib
import sys
from statistics import fmean

from ecbench.ceph.profile import DEFAULT_STRIPE_UNIT
from ecbench.documents.document import Json
from ecbench.experiment import running
from ecbench.experiment.expansion import Expansion, check_isal, check_libraries, expand, optional_target, present, repeat
from ecbench.experiment.experiment import COUNTED, NOT_IN_ROWS, Experiment, file_of, named, read_experiment
from ecbench.experiment.results import Results, experiment_of
from ecbench.files import files
from ecbench.files.files import check_apart, read_text, without_home
from ecbench.installation.places import MEASURING, given
from ecbench.measure import resume
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.resume import INTERRUPTED, Mode
from ecbench.measure.session import BY_CASE
from ecbench.point.axes import MAX_PADDING, OPTIONS, PROFILE, SHAPE, Language
from ecbench.point.point import Planned, profile_words
from ecbench.process.process import Child, run_to_the_end
from ecbench.runfile.header import Options
from ecbench.runfile.run_file import Run, check_new, read_run
from ecbench.terminal.arguments import Parser, cpu_list, seconds, whole
from ecbench.terminal.console import Refused, say

# The command line of bench.sh run.

EPILOG = f"""\
EXPERIMENT is a name ({', '.join(named())}), which is also a command; a TOML file; or words KEY=VALUES, which replace
axes of a file:
  values      a,b,c, or a range: 2..10, 2..10+2 (step 2), 64..65536*2 (64, 128, ... 65536)
  plugin, technique  default isa,jerasure; all techniques of the plugin; 8+3,4+2: pairs of k and m
  k, m, w, ...  any parameter of a plugin (see ecbench list); default: the plugin's; library: entries
  workload    encode, decode, repair, overwrite, scrub, limit, memcpy (default encode,decode)
  size        bytes of the object (default 1M)
  erasures, changed  lost chunks of decode, or all (1 to m); changed data chunks of overwrite, or 1..k (defaults 1)
  stripe-unit  bytes of a chunk in a stripe (default none: one stripe)
  pace, background  500 operations/s, or 80% of the greatest rate; another workload at the same time: repair@50M
  cache, threads, timing  cold (default warm); a number (1); api (default kernel); max-padding: most padding in percent
  dispatch    scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon, native (default native)
  codec-lib   directory of codec libraries (libisal.so.2, ...); default none: those of the system
Exit codes: 0 done, even if points failed; 1 bad input; 2 a code returned wrong bytes; 130 after Ctrl-C."""


ROUNDS, MIN_TIME = 2, 0.2
EXAMPLES = """\
bench.sh run 8+3 plugin=isa,jerasure size=4K,1M
bench.sh packetsize size=128K --budget 60
bench.sh run my.toml"""


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--repetitions", dest="rounds", type=whole(1, 1000))  # its name until 1.0
    add("--min-time", type=seconds, metavar="S", help="duration of the samples of a measurement in seconds (default 0.2)")
    add("--cpu", type=cpu_list, metavar="LIST", help="pin to these CPUs, e.g. 1 or 0,1 (default: the fastest, one of each core)")
    add("--timeout", type=seconds, default=120.0, metavar="S", help="end a measurement after S seconds (default 120)")
    add("--from", dest="source", metavar="RUN", help="measure the points of this run again")
    add("--plugin-dir", metavar="DIR", help="directory of the plugins")
    add("--isal", action="append", default=[], metavar="DIR", help="another ISA-L, a directory (libraries)")
    add("--dry-run", action="store_true", help="print the points and the duration; measure nothing")
    add("--counts-only", action="store_true", help="count what repairs read (recovery); measure nothing")
    add("--print", action="store_true", help="print the file of the experiment, as a start for one of your own")


def check(options: argparse.Namespace) -> None:
    """Throws Refused."""
    if options.source is not None and not files.is_axis(options.words):
        raise Refused("--from takes the points from a run file, so an experiment is not allowed; leave it out")
    if options.source is None and options.resume is None:
        read_experiment(options.words, Language(None))
    if options.output is not None and not options.dry_run:
        check_new(pathlib.Path(options.output))
    if options.counts_only and options.source is not None:
        raise Refused("--counts-only is not allowed with --from; give the name of an experiment, such as recovery")
    if options.counts_only and options.output is not None:
        raise Refused("--output is not allowed with --counts-only, which measures nothing; leave out --output")
    if options.print and file_of(options.words) is None:
        raise Refused("--print needs the name of an experiment; choose " + ", ".join(named()))
    if options.plugin_dir is not None and not os.path.isdir(options.plugin_dir):
        raise Refused(f"--plugin-dir {options.plugin_dir} is not allowed: it is not a directory")


MODE = Mode("run", EXAMPLES, "Measures the points of an experiment in random order, compares them, and writes a run file.",
            EPILOG, ("plugin", "technique", SHAPE, *PROFILE, *OPTIONS, *MAX_PADDING), check, add_options, str(ROUNDS),
            word="EXPERIMENT")
read_arguments = MODE.check


def needs(words: list[str]) -> list[str]:
    """`make contenders` skips the libraries whose tools are missing."""
    if given(words, "--print"):
        return []
    if given(words, "--resume", "--from"):
        return list(MEASURING)
    options, _ = resume.parsed(MODE.parser(), words)
    entries = read_experiment(options.words, Language(None)).points
    measures = not options.dry_run and not options.counts_only
    targets = {optional_target(entry) for entry in entries if measures}
    return [*MEASURING, *(f"try {target}" for target in ("contenders", "isal") if target in targets)]


def asked_for(options: argparse.Namespace, source: Run | None, program: Ecbench) -> tuple[Experiment, Expansion, str]:
    """The experiment, its points, and its words as the user wrote them. With --from, the defaults are those of the given run."""
    if source:
        header = source.header
        found = dataclasses.replace(experiment_of(source), name=f"from-{source.name}", rounds=header.repetitions,
                                    min_time=header.options.min_time or None)
        planned = header.points or [Planned(point) for point in source.points.values()]
        files.check_points(source.path, [one.point for one in planned], files.split_off(options.words)[1], program.program)
        return found, repeat(planned, program.describe), header.grid
    plugins = program.list_plugins()
    found = read_experiment(options.words, Language(plugins))
    entries, left_out = present(found.points, plugins, program.program, options.isal)
    expansion = expand(entries, plugins, program.describe)
    check_isal(expansion, options.isal)
    if left_out:
        say(f"not built and left out: {left_out}")
    return found, expansion, " ".join(map(without_home, options.words))


def count(options: argparse.Namespace, program: Ecbench) -> int:
    """Prints the table of the experiment with the cells that need no measurement. Throws Refused."""
    experiment, expansion, _ = asked_for(options, None, program)
    table = experiment.table
    cells = tuple(cell for cell in table.cells if cell in COUNTED) if table else ()
    if not table or not cells:
        raise Refused(f"--counts-only needs an experiment whose table counts reads ({', '.join(COUNTED)}), such as recovery")
    running.tell_grid(expansion)
    counts = counts_of(expansion, program)
    entries = [entry for entry in expansion.entries if entry.id in counts]
    print(experiment.title)
    print(*Results(entries, dataclasses.replace(experiment, table=dataclasses.replace(table, cells=cells)), counts=counts).tables(),
          sep="\n")
    return 0


def counts_of(expansion: Expansion, program: Ecbench) -> dict[str, dict[str, float]]:
    """Id of a repair → the cells that need no measurement: means over all losses of one chunk, with stripes of Ceph's default unit
    or the next one that the code allows."""
    found: dict[str, dict[str, float]] = {}
    for entry in expansion.entries:
        if (point := entry.point).workload == "repair":
            size = ["--size", str(int(point.get("k") or 1) * DEFAULT_STRIPE_UNIT)]
            answers = program.show_reads([*profile_words(point.plugin, point.profile), "--erasures", "1", *size])
            reads = [one for one in answers if not one.unrecoverable]
            found[entry.id] = {cell: fmean(getattr(one, cell) for one in reads) for cell in COUNTED} if reads else {}
    return found


def measure(asked: resume.Asked, program: Ecbench) -> int:
    options = asked.arguments
    if asked.run:
        check_libraries(asked.run, program)
        experiment, entries = experiment_of(asked.run), asked.run.header.points
        if asked.run.header.order == BY_CASE:
            experiment, expansion, _ = asked_for(options, None, program)
            entries = expansion.entries
        return running.close(running.measure(asked, program, experiment, entries, MODE.name))
    source = read_run(options.source) if options.source is not None else None
    experiment, expansion, grid = asked_for(options, source, program)
    rounds, min_time = options.rounds or experiment.rounds or ROUNDS, options.min_time or experiment.min_time or MIN_TIME
    running.tell_grid(expansion)
    running.check_reference(experiment, expansion)
    if options.dry_run:
        print("id", "chunk size", "padding %", "point", sep="\t")
        for entry in expansion.entries:
            print(entry.id, entry.chunk_size, f"{entry.padding_percent:.1f}", entry.point, sep="\t")
        asked.limit(experiment.budget)
        environment = running.environment_of(program, expansion.entries, options.cpu)[1]
        running.tell_estimate(environment, experiment, expansion.entries, rounds, min_time, asked.budget)
        return 0
    more: Json = {"grid": grid, "dropped": list(map(vars, expansion.dropped)), "merged": expansion.merged}
    if experiment.table and NOT_IN_ROWS & set(experiment.table.cells):
        more["counts"] = counts_of(expansion, program)
    return running.close(running.measure(asked, program, experiment, expansion.entries, MODE.name,
                                         Options(min_time, options.timeout, options.cpu or (), limit=True), rounds, more))


def run_experiment(child: Child) -> int:
    asked = MODE.ask(sys.argv[1:], child)
    options = asked.arguments
    if asked.run and asked.run.finished:  # the results are only printed again, without the ecbench program
        check_apart([], [("--resume", options.resume)])
        return running.close(asked.run)
    check(options)
    if options.print:
        print(read_text(file_of(options.words) or ""), end="")
        return 0
    program = Ecbench(find_program(options.ecbench), child, options.plugin_dir, options.timeout)
    if options.counts_only:
        return count(options, program)
    check_apart([("--output", options.output)], [("--from", options.source), ("--resume", options.resume),
                                                 ("--ecbench", program.program)])
    return measure(asked, program)


def main() -> int:
    return run_to_the_end(run_experiment, INTERRUPTED)
