"""The command line of bench.sh run."""

import argparse
import os

from ecbench.comparison.questions import SELECT
from ecbench.experiment.experiment import file_of, named, read_experiment
from ecbench.files import loading
from ecbench.measure import resume
from ecbench.measure.mode import Mode
from ecbench.point.axes import MAX_PADDING, OPTIONS, PROFILE, SHAPE, Language
from ecbench.terminal.arguments import Parser, cpu_list, seconds, seed, whole
from ecbench.terminal.console import Refused

EPILOG = f"""\
EXPERIMENT is a name ({', '.join(named())}), which is also a command; a TOML file; or words KEY=VALUES, which replace
axes of a file:
  values      a,b,c, or a range: 2..10, 2..10+2 (step 2), 64..65536*2 (64, 128, ... 65536)
  plugin, technique  default isa,jerasure; all techniques of the plugin; 8+3,4+2: pairs of k and m
  k, m, w, ...  any parameter of a plugin (see ecbench --list); default: the plugin's; library: entries
  workload    encode, decode, repair, overwrite, scrub, limit, memcpy (default encode,decode)
  size        bytes of the object (default 1M)
  erasures, changed  lost chunks of decode, or all (1 to m); changed data chunks of overwrite, or 1..k (defaults 1)
  stripe-unit  bytes of a chunk in a stripe (default none: one stripe)
  pace, background  500 operations/s, or 80% of the greatest rate; another workload at the same time: repair@50M
  cache, threads, timing  cold (default warm); a number (1); api (default kernel); max-padding: most padding in percent
  dispatch    scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon, native (default native)
  codec-lib   directory of codec libraries (libisal.so.2, ...); default none: those of the system
Exit codes: 0 done, even if points failed; 1 bad input; 2 a code returned wrong bytes; 130 after Ctrl-C."""


EXAMPLES = """\
bench.sh run 8+3 plugin=isa,jerasure size=4K,1M
bench.sh packetsize size=128K --budget 60
bench.sh run my.toml"""


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--rounds", type=whole(1, 1000), metavar="N", help="measurements of each point (default 2)")
    add("--repetitions", dest="rounds", type=whole(1, 1000))  # its name until 1.0
    add("--min-time", type=seconds, metavar="S", help="duration of the samples of a measurement in seconds (default 0.2)")
    add("--seed", type=seed, metavar="N", help="seed for the order (default: random)")
    add("--cpu", type=cpu_list, metavar="LIST", help="pin to these CPUs, e.g. 1 or 0,1 (default: the fastest, one of each core)")
    add("--timeout", type=seconds, default=120.0, metavar="S", help="end a measurement after S seconds (default 120)")
    resume.add_arguments(parser)
    add("--from", dest="source", metavar="RUN", help="measure the points of this run again")
    add("--ecbench", metavar="PATH", help="the ecbench program (default: this ecbench)")
    add("--plugin-dir", metavar="DIR", help="directory of the plugins")
    add("--isal", action="append", default=[], metavar="DIR", help="another ISA-L, a directory (libraries)")
    add("--dry-run", action="store_true", help="print the points and the duration; measure nothing")
    add("--counts-only", action="store_true", help="count what repairs read (recovery); measure nothing")
    add("--print", action="store_true", help="print the file of the experiment, as a start for one of your own")


def check(options: argparse.Namespace) -> None:
    """Throws Refused."""
    if options.source is not None and not loading.is_axis(options.words):
        raise Refused("--from takes the points from a run file, so an experiment is not allowed; leave it out")
    if options.source is None and options.resume is None:
        read_experiment(options.words, Language(None))
    if options.output is not None and not options.dry_run:
        resume.check_output(options.output)
    if options.counts_only and options.source is not None:
        raise Refused("--counts-only is not allowed with --from; give the name of an experiment, such as recovery")
    if options.print and file_of(options.words) is None:
        raise Refused("--print needs the name of an experiment; choose " + ", ".join(named()))
    if options.plugin_dir is not None and not os.path.isdir(options.plugin_dir):
        raise Refused(f"--plugin-dir {options.plugin_dir} is not allowed: it is not a directory")


MODE = Mode("run", SELECT, EXAMPLES, "Measures the points of an experiment in random order, compares them, and writes a run file.",
            EPILOG, ("plugin", "technique", SHAPE, *PROFILE, *OPTIONS, *MAX_PADDING), check, of_rounds=add_options,
            word="EXPERIMENT")
