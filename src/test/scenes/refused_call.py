"""refused_call.py CALL[,CALL...] COMMAND...: runs a command under a seccomp filter, which refuses these system calls with EPERM, as
the filter of a container does. Exit code 77 if this kernel or CPU cannot do this."""

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {"perf_event_open": 298, "setitimer": 38, "timer_create": 222, "sched_setaffinity": 203,
           "sched_getaffinity": 204, "clone3": 435}  # x86_64
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7fff0000, 0x00050000 | errno.EPERM


def main() -> None:
    calls = sys.argv[1].split(",")
    program = [(LOAD, 0, 0, 0)]  # the number of the system call
    program += [(IF_EQUAL, len(calls) - number, 0, NUMBERS[call]) for number, call in enumerate(calls)]
    program += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in program))
    header = struct.pack("@HP", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None)
    if (platform.machine() != "x86_64" or libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            or libc.prctl(PR_SET_SECCOMP, MODE_FILTER, header)):
        sys.exit(77)
    os.execvp(sys.argv[2], sys.argv[2:])


main()
