"""report --contribute: prepares a finished run for results/. It removes the names of the host and user and private paths, checks
the run, and prints the text of a pull request."""

import gzip
import json
import pathlib
import tempfile

from ecbench.report import check, privacy
from ecbench.runfile.lines import read_lines
from ecbench.runfile.run_file import Run, read_run
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.console import Refused, plain


def contribute(path: pathlib.Path, results: pathlib.Path) -> str:
    """Writes the run to the directory of its CPU in `results`. Returns the text of a pull request."""
    source = read_run(path)
    folder = results / source.header.machine.slug
    target = folder / f"{source.name}.jsonl.gz"
    try:
        if target.exists():
            raise Refused(f"{target} exists, and results are not overwritten; remove it, or give --output DIRECTORY")
        existing = next(one for one in (folder, *folder.absolute().parents) if one.is_dir())
        with tempfile.TemporaryDirectory(dir=existing, prefix=".contribute-") as temporary:
            draft = pathlib.Path(temporary, target.name)
            changed = write_cleaned(source, draft)
            if problems := check.problems_of(draft):
                raise Refused(f"{source.path} cannot be shared: {'; '.join(map(plain, problems))}")
            folder.mkdir(parents=True, exist_ok=True)
            draft.rename(target)
    except OSError as error:
        raise Refused(f"{target} cannot be written: {error.strerror}") from error
    return request_text(read_run(target), target, changed)


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
    """Markdown."""
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
        f"- the host, the user or private paths were removed from {changed} records; `report --check` found no problem"]
    if header.repetitions < FEWEST_VALUES:
        lines.append(f"- with fewer than {FEWEST_VALUES} rounds, codes are compared by their intervals only")
    return "\n".join(map(plain, lines))
