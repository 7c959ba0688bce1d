"""seeds.py ECBENCH OUTPUT: writes the first inputs (seeds) for each fuzz target to the directory OUTPUT/TARGET. The seeds are made
from the profiles in src/test/data, from the layers below, and from chunk directories that ECBENCH writes."""

import json
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
OBJECT = b"An object for the chunk directories. " * 8
# These seeds contain cases that the layers in src/test/data do not contain: the plugins shec, clay and replication, profiles as
# JSON, and a layer that is itself an LRC code.
LAYERS = [
    ("DDDDDD___", '[["DDDDDDcc_","technique=cauchy_good,packetsize=64"],["DDD_____c","plugin=isa"]]'),
    ("DDDD____", '[["DDDDccc_","plugin=isa,technique=cauchy"],["DD_____c","plugin=shec,c=1"]]'),
    ("_DD_DD_", '[["cDDcDD_","technique=reed_sol_r6_op"],["_DD___c",""]]'),
    ("DD__DD__", '[["DDc_DDc_",""],["DDDc____",{"plugin":"clay","d":4}],["____DDDc","technique=liberation packetsize=8"]]'),
    ("DD_____", '[["DDcc___","technique=liber8tion,packetsize=32"],["DDD_ccc",{"plugin":"lrc","mapping":"DDD___",'
                '"layers":"[[\\"DDDc__\\",\\"\\"],[\\"D__Dc_\\",\\"plugin=isa\\"],[\\"_DD__c\\",\\"\\"]]"}]]'),
    ("D__", '[["Dcc","plugin=replication"]]'),
]
FOLDERS = [
    ("isa", {"k": "2", "m": "1"}, []),
    ("isa", {"technique": "cauchy", "k": "3", "m": "2", "mapping": "_D_DD"}, []),
    ("jerasure", {"technique": "reed_sol_van", "k": "4", "m": "2"}, ["--stripe-unit", "32"]),
    ("jerasure", {"technique": "liberation", "k": "2", "m": "2", "packetsize": "8", "w": "3"}, []),
    ("shec", {"k": "4", "m": "3", "c": "2"}, []),
    ("lrc", {"k": "4", "m": "2", "l": "3"}, []),
    ("clay", {"k": "4", "m": "2", "d": "5"}, []),
    ("replication", {"size": "3"}, []),
]


def profiles() -> list[tuple[str, dict[str, str]]]:
    """Returns each different pair of a plugin and a profile in src/test/data."""
    found = {}
    for file in sorted(DATA.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            record = json.loads(line)
            found[json.dumps([record["plugin"], record["profile"]])] = (record["plugin"], record["profile"])
    return list(found.values())


def parameter_lines(profile: dict[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in profile.items())


def question(plugin: str, profile: dict[str, str], number: int) -> str:
    """Returns a line of the file that --describe reads. `number` selects the options in this line."""
    words = ["-p", plugin]
    for key, value in profile.items():
        words += ["-P", f"{key}={value}"]
    words += [["-w", "decode", "-e", "1"], ["--workload", "repair"], ["--size", "4K", "--stripe-unit", "512"], ["--erased", "0"],
              ["--cache", "cold", "--dispatch", "avx2"], ["--timing", "api", "--threads", "2", "--seed", "7"]][number % 6]
    return json.dumps({"words": words, "losses": number % 3 + 1, "most_patterns": 100}) + "\n"


def restore_inputs(ecbench: str) -> list[bytes]:
    """Returns the seeds for restore_fuzz.cc: chunk directories with all chunks, chunk directories with lost chunks, and chunk
    directories that have a lost chunk and no manifest."""
    inputs = []
    for plugin, profile, words in FOLDERS:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "object").write_bytes(OBJECT)
            parameters = [word for key, value in profile.items() for word in ("-P", f"{key}={value}")]
            subprocess.run([ecbench, "-p", plugin, *parameters, *words, "-i", "1", "--input", path / "object", "--chunks-out",
                            path / "chunks"], check=True, capture_output=True)
            files = {file.name: file.read_bytes() for file in sorted((path / "chunks").iterdir())}
        request = f"plugin={plugin}\nsize={len(OBJECT)}\n{parameter_lines(profile)}".encode()
        if words:
            request += f"stripe_unit={words[1]}\n".encode()
        inputs.append(joined(b"", files))
        del files["0"]
        inputs.append(joined(b"erased=1\n" if len(files) > 4 else b"", files))
        del files["manifest.json"]
        inputs.append(joined(request, files))
    return inputs


def joined(request: bytes, files: dict[str, bytes]) -> bytes:
    """Returns an input in the format that restore_fuzz.cc describes."""
    return request + b"".join(f"--- {name} {len(content)}\n".encode() + content for name, content in files.items())


def write(folder: pathlib.Path, inputs: list[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(inputs):
        (folder / f"seed-{number}").write_bytes(content)


def main() -> None:
    ecbench, output = sys.argv[1], pathlib.Path(sys.argv[2])
    known = profiles()
    write(output / "describe_fuzz", [question(plugin, profile, number).encode() for number, (plugin, profile) in enumerate(known)])
    layers = [(profile["mapping"], profile["layers"]) for _, profile in known if {"mapping", "layers"} <= profile.keys()]
    write(output / "lrc_layers_fuzz", [f"{mapping}\n{text}".encode() for mapping, text in layers + LAYERS])
    write(output / "restore_fuzz", restore_inputs(ecbench))


if __name__ == "__main__":
    main()
