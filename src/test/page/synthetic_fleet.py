"""Writes the results of fleets for tests. The rows are copied from a stored run, but get other speeds. Each speed is the mean speed
of the point in the stored run, multiplied by a random noise factor. The noise factors are computed from the differences between
repetitions in the stored run, so the noise is as large as on a real machine.

`synthetic_fleet.py DIR HOSTS POINTS [REPETITIONS [SLOW]]` writes one run file for each host to DIR. The rows contain all samples.
Host osd-SLOW is 15 % slower than the others, and has another CPU governor."""

import collections
import json
import math
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

from ecbench.documents.document import read
from ecbench.point.point import Point
from ecbench.runfile.header import Environment, machine_of, read_lines

STORED = ROOT / "results" / "amd-epyc-family25-model1" / "packetsize-2026-11-21-070021.jsonl.gz"
AT = "2026-11-22T05:00:00Z"


class Stored:
    """The header, the rows and the noise of the stored run."""

    def __init__(self):
        records = [json.loads(line) for line in read_lines(STORED)]
        self.header = records[0]
        self.rows = collections.defaultdict(list)
        for record in records[1:]:
            if record["record"] == "row":
                self.rows[record["id"]].append(record)
        logarithms = [[math.log(row["gb_per_s"]) for row in rows] for rows in self.rows.values() if len(rows) == 2]
        self.noise = [sign * (one - other) / math.sqrt(2) for one, other in logarithms for sign in (1, -1)]
        self.points = {entry["id"]: Point.from_json(entry["point"]) for entry in self.header["points"]}

    def ids(self, count):
        """`count` points that have two rows, evenly spaced."""
        found = [identity for identity in self.points if len(self.rows[identity]) == 2]
        return [found[number * len(found) // count] for number in range(count)]

    def records(self, host, ids, generator, factor=1.0, repetitions=2, environment=None, dispatch="native", host_noise=0.0,
                warnings=(), cpu_share=1.0):
        """The records of a host's run file. `host_noise`: standard deviation of the logarithm of a random factor for all speeds.
        `cpu_share`: CPU time of each sample / duration."""
        environment = {**self.header["environment"], **(environment or {})}
        factor *= math.exp(generator.gauss(0, host_noise))
        points = {identity: Point.from_json({**self.points[identity].to_json(), "dispatch": dispatch}) for identity in ids}
        yield {**self.header, "run": f"run-{host}", "format": "ecbench run 2", "repetitions": repetitions, "mode": "run",
               "environment": environment, "machine": vars(machine_of(read(Environment, environment))), "started": AT,
               "points": [{"id": point.id, "point": point.to_json()} for point in points.values()]}
        order = [(identity, repetition) for repetition in range(repetitions) for identity in ids]
        for identity, repetition in order:
            row = self.rows[identity][repetition % 2]
            own = factor * math.exp(generator.choice(self.noise))
            base = math.sqrt(self.rows[identity][0]["gb_per_s"] * self.rows[identity][1]["gb_per_s"])
            scale = row["gb_per_s"] / (base * own)
            samples = [{**sample, "seconds": sample["seconds"] * scale, "cpu_seconds": sample["seconds"] * scale * cpu_share}
                       for sample in row["samples"]]
            yield {**row, "id": points[identity].id, "repetition": repetition, "host": host, "at": AT, "gb_per_s": base * own,
                   "warnings": [{"code": code, "text": code} for code in warnings], "samples": samples}
        yield {"record": "end", "at": AT}


def write_host(folder, host, records):
    (folder / host).mkdir(parents=True, exist_ok=True)
    path = folder / host / "run.jsonl"
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    return path


def write_state(folder, host, state, **more):
    (folder / host).mkdir(parents=True, exist_ok=True)
    (folder / host / "host.json").write_text(json.dumps({"format": "ecbench fleet host 1", "host": host, "state": state, **more}))


def write_fleet(folder):
    """70 hosts in two classes, two of them slow, and a host that is unreachable."""
    stored = Stored()
    ids = stored.ids(24)
    for number in range(70):
        host = f"storage-node-{number}-with-a-long-name.example.com"
        records = stored.records(host.partition(".")[0], ids, random.Random(number), factor=0.85 if number in (20, 40) else 1,
                                 dispatch="ssse3" if number > 60 else "native")
        write_host(folder, host, records)
    write_state(folder, "osd-80", "unreachable", reason="no route </script><b>&")


def main():
    folder = pathlib.Path(sys.argv[1])
    hosts, points = map(int, sys.argv[2:4])
    repetitions = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    slow = int(sys.argv[5]) if len(sys.argv) > 5 else None
    stored = Stored()
    ids = stored.ids(points)
    for number in range(hosts):
        factor, governor = (0.85, "powersave") if number == slow else (1.0, "performance")
        environment = {"cpu": {**stored.header["environment"]["cpu"], "governor": governor}}
        records = stored.records(f"osd-{number}", ids, random.Random(number), factor, repetitions, environment)
        write_host(folder, f"osd-{number}", records)


if __name__ == "__main__":
    main()
