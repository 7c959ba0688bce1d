"""Simulates `ecbench --serve-slices`. The simulated server can report any speed, give wrong answers, give no answer, or end. The
file behaviour.json in the directory of --erasure-code-dir defines its behaviour. OLD and NEW have different directories, so they
can behave differently. The keys of behaviour.json are:

    ns      the nanoseconds that the server reports for one iteration. The server does not wait for this time
    hello   keys that replace those of HELLO, the first line that the server prints
    on      maps "start" or a command to an action. The server performs this action instead of answering. The actions are:
            "die NAME" (ends by this signal), "hang" (gives no answer), "exit CODE WORDS" (prints WORDS to the standard error,
            and ends with the exit code CODE), and "say WORDS" (prints WORDS)
    limit   the limit of memory that --environment prints
    log     a file. The server appends a line to this file at its start and for each command"""

import json
import os
import pathlib
import signal
import sys
import time

HELLO = {"protocol": "ecbench slices 1", "k": 4, "m": 2, "chunk_count": 6, "chunk_size_bytes": 1024, "stripes": 1,
         "object_bytes_per_iteration": 4096, "arena_bytes": 6144, "chunks_digest": "d1"}


def write_double(folder, name, **behaviour):
    program = pathlib.Path(folder) / "double"
    program.write_text(f"#!{sys.executable} -Es\n{pathlib.Path(__file__).read_text(encoding='utf-8')}", encoding="utf-8")
    program.chmod(0o755)
    plugins = pathlib.Path(folder) / name
    plugins.mkdir(exist_ok=True)
    (plugins / "behaviour.json").write_text(json.dumps({"name": name, **behaviour}), encoding="utf-8")
    return str(program), str(plugins)


def value_of(option):
    return sys.argv[sys.argv.index(option) + 1]


def act(action):
    what, _, words = action.partition(" ")
    sys.stdout.flush()
    if what == "die":
        os.kill(os.getpid(), signal.Signals[words])
    if what == "hang":
        time.sleep(600)
    if what == "exit":
        code, _, last = words.partition(" ")
        print(f"ecbench: {last}", file=sys.stderr, flush=True)
        os._exit(int(code))
    print(words, flush=True)


def answer(command, behaviour):
    word, *numbers = command.split()
    ns = behaviour.get("ns", 100)
    if word == "time":
        return f"ns {int(numbers[0]) * ns} {int(numbers[0]) * ns}"
    if word == "calibrate":
        return f"iterations {max(1, int(numbers[0]) // ns)}"
    return "ok"


def main():
    behaviour = json.loads((pathlib.Path(value_of("--erasure-code-dir")) / "behaviour.json").read_text(encoding="utf-8"))
    actions = behaviour.get("on", {})

    if "--environment" in sys.argv:
        print(json.dumps({"cpu": {}, "unfit": [], "shared_objects": [], "ecbench": {},
                          "cgroup": {"memory_limit_bytes": behaviour.get("limit")}}))
        return

    def tell(what):
        if "log" in behaviour:
            with open(behaviour["log"], "a", encoding="utf-8") as log:
                log.write(f"{behaviour['name']} {os.getpid()} {what}\n")

    tell(f"start {os.fstat(int(value_of('--arena'))).st_ino} {len(sys.argv[0])} {len(value_of('--erasure-code-dir'))}")
    act(actions["start"]) if "start" in actions else print(json.dumps({**HELLO, **behaviour.get("hello", {})}), flush=True)
    for line in sys.stdin:
        tell(line.strip())
        word = line.split()[0]
        act(actions[word]) if word in actions else print(answer(line, behaviour), flush=True)


if __name__ == "__main__":
    main()
