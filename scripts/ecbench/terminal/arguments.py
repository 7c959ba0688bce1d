"""The types of options."""

import argparse
import math
import os


def whole(least, most):
    def read(text):
        if not text.isascii() or not text.isdigit() or len(text) > 19 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text or 'nothing'} is not allowed, {least} to {most} is")
        return int(text)
    return read


def seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.001 <= value <= 86400:
        raise argparse.ArgumentTypeError(f"{text or 'nothing'} is not allowed, 0.001 to 86400 seconds is")
    return value


def cpu_list(text):
    """As ecbench's: 1 or 0,2-3."""
    cpus = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        numbers = all(text.isascii() and text.isdigit() and len(text) < 6 for text in (first, last))
        if not numbers or int(last) < int(first):
            raise argparse.ArgumentTypeError(f"{text or 'nothing'} is not allowed, a list such as 1 or 0,2-3 is")
        cpus += range(int(first), int(last) + 1)
    if absent := sorted(set(cpus) - os.sched_getaffinity(0)):
        allowed = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        raise argparse.ArgumentTypeError(f"{text} is not allowed: CPU {absent[0]} is none of those that may be used, {allowed}")
    return list(dict.fromkeys(cpus))
