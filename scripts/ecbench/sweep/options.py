"""The command line of bench.sh sweep."""

import argparse
import os

from ecbench.measure import resume
from ecbench.point.axes import MAX_PADDING, OPTIONS, PROFILE, Language
from ecbench.point.grid import read_grids
from ecbench.terminal.arguments import Parser, cpu_list, seconds, seed, whole
from ecbench.terminal.console import Refused

EPILOG = """\
A grid is a list of words KEY=VALUES: plugin=jerasure technique=cauchy_good,liber8tion k=4,6 m=2 packetsize=64..65536*2 size=4K,1M
  values      a list a,b,c or a range: 2..10 (step 1), 2..10+2 (step 2), 64..65536*2 (64, 128, ... 65536). 4K is 4096, 1M is 1048576
  plugin      default: isa and jerasure. A plugin that has none of the techniques in technique= is left out
  technique   default: all techniques of the plugin
  k, m, w, packetsize, ...: any parameter of any plugin (ecbench --list shows them); default: the plugin's default. If a technique
              does not have a given parameter, the technique is measured once, without this parameter
  workload    encode, decode, repair, overwrite, scrub, limit, memcpy (default encode,decode)
  size        bytes of the object (default 1M)
  erasures    numbers of lost chunks for decode (default 1); erasures=all: from 1 to m
  changed     numbers of changed data chunks for overwrite (default 1)
  cache       warm, cold (default warm)
  stripe-unit bytes of a chunk in a stripe, or none (default none: one stripe)
  threads     numbers of threads (default 1)
  timing      kernel, api (default kernel)
  dispatch    scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon, native (default native)
  codec-lib   a directory that contains codec libraries (libisal.so.2, ...), or none (default none: the libraries of the system)
  max-padding largest padding, in percent of the object; points with more padding are dropped
A word without = is the name of a grid in scripts/grids/. If an axis follows, its values replace the values of this axis in the
grid, as in: sweep packetsize size=4K
Combinations that a plugin refuses are dropped; their number and the reason are printed.

A mode refuses to measure while another mode measures on the same machine. Before it measures, a mode locks the
directory $ECBENCH_LOCK_DIR (default /run/lock, or /tmp if /run/lock cannot be read).
Exit codes: 0 done, even if points failed; 1 bad input; 2 a code returned wrong bytes; 130 after Ctrl-C."""


def make_parser() -> Parser:
    parser = Parser(mode="sweep", epilog=EPILOG, axes=("plugin", "technique", *PROFILE, *OPTIONS, *MAX_PADDING),
                    description="Measures every point of a grid in random order, and writes a run file. Each measurement "
                                "runs in a separate process.")
    add = parser.add_argument
    add("grid", nargs="*", metavar="GRID", help="the name of a grid, or axes KEY=VALUES; see below")
    add("--repetitions", type=whole(1, 1000), metavar="N", help="number of measurements of each point (default 2)")
    add("--min-time", type=seconds, metavar="S", help="total duration of the samples in each measurement, in seconds (default 0.2)")
    add("--seed", type=seed, metavar="N", help="seed for the random order (default: random; it is stored in the run file)")
    add("--cpu", type=cpu_list, metavar="LIST", help="pin the measurements to these CPUs, e.g. 1 or 0,1 (default: the "
                                                          "allowed CPUs with the highest numbers)")
    add("--timeout", type=seconds, default=120.0, metavar="S", help="stop a measurement after this number of seconds (default 120)")
    resume.add_arguments(parser)
    add("--from", dest="source", metavar="RUN", help="measure the points of this run file again")
    add("--ecbench", metavar="PATH", help="the ecbench program (default: this ecbench)")
    add("--plugin-dir", metavar="DIR", help="directory of the plugins that the ecbench program loads")
    add("--dry-run", action="store_true", help="print the points and the expected duration, and measure nothing")
    return parser


def check(options: argparse.Namespace) -> None:
    """Throws Refused."""
    if options.source is not None and options.grid:
        raise Refused("--from takes the points from a run file, so a grid is not allowed; leave the grid out")
    if options.source is None and options.resume is None:
        read_grids(options.grid, Language(None))
    if options.plugin_dir is not None and not os.path.isdir(options.plugin_dir):
        raise Refused(f"--plugin-dir {options.plugin_dir} is not allowed: it is not a directory")
