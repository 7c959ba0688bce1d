"""starter.py SOCKET MODE.PY: starts modes for scene.run(). It has imported all modes and forks for each start, which takes a
tenth of the CPU time of a new Python. A message on the socket is a JSON object (args, environment, cwd) with two pipes: standard
output and standard error. The answers are the number of the process and, when it has ended, its exit code."""

import atexit
import gc
import importlib
import json
import os
import pathlib
import runpy
import socket
import sys


def become(request: dict, streams: list[int]) -> None:
    for stream, number in zip((os.open(os.devnull, os.O_RDONLY), *streams), (0, 1, 2), strict=True):
        os.dup2(stream, number)
    os.closerange(3, 1024)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    sys.argv = request["args"]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:  # mode.py has written everything; Python's own end takes longer than most modes
        atexit._run_exitfuncs()
        os._exit(end.code)


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    scripts = pathlib.Path(sys.argv[2]).parent
    sys.path[0] = str(scripts)
    for path in sorted(scripts.glob("ecbench/*/program.py")):
        importlib.import_module(f"ecbench.{path.parent.name}.program")
    importlib.import_module("mode")
    gc.freeze()  # a fork does not copy the pages of these objects for the garbage collector
    while True:
        message, streams, _, _ = socket.recv_fds(control, 1 << 20, 2)
        if not message:
            return
        process = os.fork()
        if process == 0:
            control.detach()
            become(json.loads(message), streams)
            return
        for stream in streams:
            os.close(stream)
        control.send(b"%d" % process)
        control.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))


if __name__ == "__main__":
    main()
