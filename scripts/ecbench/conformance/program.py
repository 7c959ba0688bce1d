"""bench.sh conformance create|check|hashes: writes and checks encoded objects in the layout of Ceph's corpus, and finds codes that
compute the same bytes."""

import argparse
import pathlib
import re
import sys

from ecbench.conformance import corpus
from ecbench.experiment.cases import grouped
from ecbench.experiment.experiment import read_experiment
from ecbench.files.files import check_apart
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.point.axes import Language
from ecbench.point.point import letters
from ecbench.process.process import Child, run_to_the_end
from ecbench.terminal.arguments import Parser, matching, size, sizes
from ecbench.terminal.console import Progress, Refused, plain, say

PARAMETER = matching(re.compile("[^=]+=.*", re.DOTALL), "key=value, such as k=4")

EXAMPLES = """\
bench.sh conformance create corpus -p jerasure -P technique=reed_sol_van -P k=4 -P m=2 --stripe-width 4096,65000
bench.sh conformance create corpus plugin=isa k=2..4 m=1,2 size=4K
bench.sh conformance check ceph-erasure-code-corpus/v14.0.0-3924
bench.sh conformance hashes k=4 m=2"""

EPILOG = """\
Each directory, named plugin=P stripe-width=N KEY=VALUE..., has an object (`content`) and its chunks (0 to n-1), as from
ceph_erasure_code_non_regression. create leaves out what a plugin refuses. check looks in subdirectories, too.

Exit codes: 0 success; 1 bad input, or a directory cannot be checked; 2 wrong bytes; 130 after Ctrl-C."""


def read_arguments(words: list[str]) -> argparse.Namespace:
    parser = Parser(mode="conformance", epilog=EPILOG, axes=corpus.AXES, examples=EXAMPLES,
                    description="Writes and checks encoded objects in the layout of Ceph's corpus.")
    modes = parser.add_subparsers(dest="mode", metavar="create|check|hashes", required=True)
    create = modes.add_parser("create", help="encode an object with each profile; each encoded object has its own directory in DIR")
    create.add_argument("directory", metavar="DIR", type=pathlib.Path)
    create.add_argument("grid", nargs="*", metavar="GRID", help="axes such as plugin=isa k=2..4 m=1; not allowed with --plugin")
    create.add_argument("--plugin", "-p", metavar="NAME")
    create.add_argument("--parameter", "-P", action="append", type=PARAMETER, default=[], metavar="KEY=VALUE", help="a "
            "parameter of the profile; the name of the directory has the parameters in the same order")
    create.add_argument("--stripe-width", "-s", type=sizes, metavar="BYTES,...", help="sizes of the objects (default 4096)")
    create.add_argument("--force", action="store_true", help="replace existing directories")
    check = modes.add_parser("check", help="check every directory below DIR")
    check.add_argument("directory", metavar="DIR", type=pathlib.Path)
    hashes = modes.add_parser("hashes", help="show which profiles compute the same coding chunks")
    hashes.add_argument("grid", nargs="+", metavar="GRID")
    hashes.add_argument("--chunk-size", type=size, default=4096, metavar="BYTES", help="smallest chunk size to try (default 4096)")
    for mode in (create, check, hashes):
        mode.add_argument("--ecbench", metavar="PATH", help="the ecbench program (default: this ecbench)")
        mode.add_argument("--plugin-dir", metavar="DIR", help="directory of the plugins that the ecbench program loads")
    options = parser.parse_args(words)
    if options.mode == "check":
        if not options.directory.is_dir():
            raise Refused(f"{options.directory} is not a directory; give a directory with encoded objects")
        return options
    has_size = bool(options.grid) and any("size" in axes for axes in
                                          read_experiment(options.grid, Language(None, corpus.AXES)).points)
    if options.mode == "hashes":
        if has_size:
            raise Refused("size= is not allowed with hashes; give the smallest chunk size with --chunk-size")
    elif options.plugin is not None and options.grid:
        raise Refused("--plugin is not allowed with a grid, because it is for a single profile; in a grid, give plugin=...")
    elif options.parameter and options.plugin is None:
        raise Refused("--parameter is not allowed without --plugin; give --plugin NAME")
    elif options.plugin is None and not options.grid:
        raise Refused("no profile is given; give --plugin and --parameter, or axes such as plugin=isa k=2,4 m=1")
    elif options.stripe_width and has_size:
        raise Refused("--stripe-width is not allowed with size=: both are the size of the objects; leave one out")
    return options


def create(options: argparse.Namespace, program: Ecbench) -> int:
    encodings = corpus.encodings(options, program)
    plugins = pathlib.Path(options.plugin_dir).glob("*.so") if options.plugin_dir else ()
    check_apart([("DIR", path) for encoding in encodings for path in (options.directory / str(encoding)).glob("*")],
                [("--ecbench", program.program), *(("--plugin-dir", path) for path in plugins)])
    corpus.create(options.directory, encodings, program, options.force)
    for encoding in encodings:
        print(plain(options.directory / str(encoding)))
    return 0


def check(options: argparse.Namespace, program: Ecbench) -> int:
    folders = corpus.find_folders(options.directory)
    corpus.describe(folders, program)
    progress = Progress(sys.stderr, len(folders))
    print_line("verdict", "chunks", "losses recovered", "directory")
    for folder in folders:
        progress.show(folder.path.name)
        if folder.word == corpus.RIGHT:
            corpus.check(folder, program)
        chunks = f"{folder.same_chunks}/{folder.chunk_count}" if folder.chunk_count else "-"
        losses = " ".join(f"{lost}:{right}/{patterns}" for lost, (right, patterns) in folder.decoded.items()) or "-"
        print_line(folder.word, chunks, losses, f"{folder.path}{': ' if folder.why else ''}{folder.why}")
        progress.advance()
    count = {word: sum(folder.word == word for folder in folders) for word in (corpus.WRONG, corpus.REFUSED)}
    say(f"{len(folders)} directories: {len(folders) - sum(count.values())} right, {count[corpus.WRONG]} wrong, "
        f"{count[corpus.REFUSED]} refused")
    return 2 if count[corpus.WRONG] else 1 if count[corpus.REFUSED] else 0


def hashes(options: argparse.Namespace, program: Ecbench) -> int:
    for k, codes in corpus.codes_by_k(corpus.read_profiles(options.grid, program.list_plugins()), program).items():
        chunk_size = corpus.common_chunk_size(k, codes, options.chunk_size, program)
        found = corpus.coding_chunks(k, codes, chunk_size, program)
        print(f"k={k}, chunks of {chunk_size} bytes, which no code pads")
        codings = {corpus.title(code): coding for code, coding in found.items()}
        different = list(dict.fromkeys(chunk for coding in codings.values() for chunk in coding))
        width = max(map(len, codings)) if sys.stdout.isatty() else 0
        for name, coding in codings.items():  # chunks with the same letter have the same bytes
            print("\t".join([f"{name:<{width}}", *(f"{letters(different.index(chunk))} {chunk[:12]}" for chunk in coding)]))
        for group in grouped(list(codings), codings.__getitem__):
            if len(group) > 1:
                print(f"the same bytes in all coding chunks: {'; '.join(group)}")
    return 0


def print_line(word: str, chunks: str, losses: str, folder: str) -> None:
    folder = plain(folder)
    if sys.stdout.isatty():
        print(f"{word:<8} {chunks:<7} {losses:<40} {folder}", flush=True)
    else:
        print(word, chunks, losses, folder, sep="\t", flush=True)


def conformance(child: Child) -> int:
    options = read_arguments(sys.argv[1:])
    program = Ecbench(find_program(options.ecbench), child, options.plugin_dir)
    return {"create": create, "check": check, "hashes": hashes}[options.mode](options, program)


def main() -> int:
    return run_to_the_end(conformance, "interrupted")
