"""bench.sh share RUN, or bench.sh share --check FILE...: prepares a run for results/, or checks such files. Exit codes: 0 success;
1 for bad input, or if a check found a problem; after a signal, 128 + the number of this signal."""

import argparse
import gzip
import json
import pathlib
import sys
import tempfile

from ecbench.files.results_folder import results_folder
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.lines import read_lines
from ecbench.runfile.run_file import Run, read_run
from ecbench.share import privacy, verification
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, plain

HELP = """Prepares a finished run for the public results: checks it, removes the names of the host and user and private paths,
writes RUN.jsonl.gz to the directory of the CPU, and prints the text of a pull request. --check only checks files: their schema,
arithmetic, share of the roofline, kernels, versions and private names. It finds no forgery that is consistent."""
EXAMPLES = "bench.sh run share\nbench.sh share results/MACHINE/share-DATE-TIME.jsonl"


def needs(_words: list[str]) -> list[str]:
    return []


def read_arguments(words: list[str]) -> argparse.Namespace:
    parser = Parser(mode="share", description=HELP, examples=EXAMPLES)
    parser.add_argument("runs", metavar="RUN", type=pathlib.Path, nargs="+", help="a run file; with --check, any number of files")
    parser.add_argument("--check", action="store_true", help="only check; write nothing")
    parser.add_argument("--output", metavar="DIRECTORY", type=pathlib.Path,
                        help="write below this directory (default: results/)")
    arguments = parser.parse_args(words)
    if not arguments.check and len(arguments.runs) > 1:
        raise Refused(f"'{arguments.runs[1]}' is one argument too many; share one RUN at a time")
    return arguments


def share(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    if arguments.check:
        return 1 if sum(map(check, arguments.runs)) else 0
    source = read_run(arguments.runs[0])
    folder = (arguments.output or results_folder()) / source.header.machine.slug
    target = folder / f"{source.name}.jsonl.gz"
    try:
        if target.exists():
            raise Refused(f"{target} exists, and results are not overwritten; remove it, or give --output DIRECTORY")
        existing = next(one for one in (folder, *folder.absolute().parents) if one.is_dir())
        with tempfile.TemporaryDirectory(dir=existing, prefix=".share-") as temporary:
            draft = pathlib.Path(temporary, target.name)
            removed = write_cleaned(source, draft)
            if problems := verification.problems_of(draft):
                raise Refused(f"{source.path} cannot be shared: {'; '.join(map(plain, problems))}")
            folder.mkdir(parents=True, exist_ok=True)
            draft.rename(target)
    except OSError as error:
        raise Refused(f"{target} cannot be written: {error.strerror}") from error
    print(request_text(read_run(target), target, removed))
    return 0


def check(path: pathlib.Path) -> int:
    """Prints the problems of a file. Returns their number."""
    problems = verification.problems_of(path)
    for problem in problems:
        print(plain(f"{path}: {problem}"))
    if not problems:
        print(plain(f"{path}: no problem found"))
    return len(problems)


def write_cleaned(source: Run, target: pathlib.Path) -> int:
    """Returns the number of records that were changed."""
    names, changed, ids = privacy.private_names(source), 0, dict[str, str]()
    with gzip.GzipFile(target, "wb", mtime=0) as file:
        for line in read_lines(source.path):
            record = json.loads(line)
            cleaned = privacy.cleaned(record, names, ids)
            changed += cleaned != record
            file.write(json.dumps(cleaned, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
    return changed


def request_text(run: Run, target: pathlib.Path, changed: int) -> str:
    """The text of a pull request, in Markdown."""
    header = run.header
    environment, points = header.environment, list(run.points.values())
    cpu, build = environment.cpu, environment.ecbench
    shapes = sorted({(int(point.get("k") or 0), int(point.get("m") or 0)) for point in points})
    codes = sorted({f"{point.plugin} {point.get('technique', '')}".strip() for point in points})
    lines = [
        f"Results: {header.machine.cpu} (family {cpu.family} model {cpu.model})", "",
        f"- file: `results/{header.machine.slug}/{target.name}`",
        f"- command: `./bench.sh {' '.join([run.mode, *header.words])}`, {header.started}",
        f"- {len(points)} points, {header.repetitions} rounds, seed {header.seed}",
        f"- codes: {', '.join(codes)}",
        f"- k+m: {', '.join(f'{k}+{m}' for k, m in shapes)}",
        f"- ecbench {build.version}, revision {str(build.git_revision)[:12]}, {build.compiler}",
        f"- instruction sets: {' '.join(cpu.flags)}", f"- virtual machine: {'yes' if cpu.hypervisor else 'no'}",
        f"- problems of the machine: {'; '.join(environment.unfit) or 'none found'}",
        f"- the host, the user or private paths were removed from {changed} records; `share --check` found no problem"]
    if header.repetitions < FEWEST_VALUES:
        lines.append(f"- with fewer than {FEWEST_VALUES} rounds, codes are compared by their intervals only")
    return "\n".join(map(plain, lines))


def main() -> int:
    return run_to_the_end(share, "interrupted", runs_others=False)
