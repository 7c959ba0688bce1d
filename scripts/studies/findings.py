"""findings.py RUN... | --write FILE RUN... | --check FILE: what runs say of the advice of 2013, a packetsize of 3072, in Markdown.

Exit code 0; 1 if a run cannot be read, says nothing of packetsizes, or FILE does not have what its runs say."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import markdown
import part
from ecbench.files import input_file
from ecbench.files.written_files import check_apart
from ecbench.process.end import run_to_the_end
from ecbench.runfile.run_file import read_run
from ecbench.runfile.summary import summarize
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, plain_lines

HELP = """Prints what run files say of packetsizes for 6+2, as paragraphs and tables of Markdown. --write puts them into a Markdown
file, between the lines '<!-- findings of RUN... -->' and '<!-- end of findings -->'; --check tells whether the file has what the
runs that it names say."""


def read_arguments(words):
    parser = Parser(prog="findings.py", description=HELP)
    parser.add_argument("runs", metavar="RUN", nargs="*", type=pathlib.Path, help="a run file, results/<machine>/<run>.jsonl")
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--write", metavar="FILE", type=pathlib.Path, help="put them into this file")
    target.add_argument("--check", metavar="FILE", type=pathlib.Path,
                        help="exit code 1 if this file, which names its runs, has anything else")
    arguments = parser.parse_args(words)
    if bool(arguments.runs) == bool(arguments.check):
        parser.error("give one run file at least; none with --check, as the file names them")
    return arguments


def findings(paths, names):
    """A section for each run, machines side by side."""
    sections = []
    for path, name in zip(paths, names):
        run = read_run(path)
        section = markdown.section(run, name, summarize(run))
        if section is None:
            raise Refused(f"{path} has no technique of 6+2 at several packetsizes: bench.sh sweep packetsize makes such a run")
        sections.append(section)
    return "\n\n".join(sections)


def read_text(path):
    try:
        return input_file.read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is no UTF-8'}") from error


def write(path, runs):
    check_apart([("--write", path)], [("RUN", run) for run in runs])
    names = [os.path.relpath(run, path.parent) for run in runs]
    if any(name.split() != [name] for name in names):
        raise Refused(f"--write {path}: a run's path with spaces cannot be named there")
    text = read_text(path)
    new = part.replaced(text, part.find(text, path), names, findings(runs, names))
    replace(pathlib.Path(os.path.realpath(path)), new)


def replace(path, text):
    """All or nothing: the file is somebody's."""
    beside = None
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            os.fchmod(out.fileno(), path.stat().st_mode & 0o777)
            out.write(plain_lines(text))
        os.replace(beside, path)
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}") from error
    finally:
        if beside is not None and os.path.exists(beside):
            os.unlink(beside)


def check(path):
    match = part.find(read_text(path), path)
    names = part.runs_of(match)
    if not names:
        raise Refused(f"{path} names no run: findings.py --write {path} RUN... does")
    if part.framed(findings([path.parent / name for name in names], names)) != match["text"]:
        raise Refused(f"{path} does not have what its runs say: findings.py --write {path} "
                      f"{' '.join(str(path.parent / name) for name in names)} mends it")


def program(_child):
    arguments = read_arguments(sys.argv[1:])
    if arguments.check:
        check(arguments.check)
    elif arguments.write:
        write(arguments.write, arguments.runs)
    else:
        print(findings(arguments.runs, [str(run) for run in arguments.runs]))
    return 0


def main():
    return run_to_the_end(program, "interrupted", runs_others=False)


if __name__ == "__main__":
    sys.exit(main())
