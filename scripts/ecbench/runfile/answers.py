"""Checks the JSON that ecbench prints, because the user can choose the measuring program: it may be an older ecbench, or a program
that is not ecbench. Only the keys that modes of bench.sh use are checked; the schemas in src/report describe all keys."""

from typing import Any

from ecbench.documents.shape import Unlike, anything, fields, flag, list_of, map_of, number, or_null, read, text, whole
from ecbench.runfile.environment import Environment

LARGEST = 1e12  # largest allowed value in GB/s, seconds or percent
SMALLEST = 1e-12  # smallest allowed value above 0, so that reciprocals and ratios are finite

figure = number(-LARGEST, LARGEST)
not_negative = number(0, LARGEST)


def amount(value: Any) -> None:
    if type(value) is float and SMALLEST <= value <= LARGEST:
        return  # fast path; nearly all values take it
    not_negative(value)
    if 0 < value < SMALLEST:
        raise Unlike(f"0, or a number from {SMALLEST:g} to {LARGEST:g}", value)


SAMPLES = list_of(fields({"placement": whole(), "seconds": amount}, {"clean": flag, "cpu_seconds": or_null(not_negative)}), 1)


def check_samples(value: Any) -> None:
    """As SAMPLES, but faster for valid samples, which are most of the bytes of a run file."""
    try:
        for sample in value:
            placement, seconds = sample["placement"], sample["seconds"]
            if type(placement) is not int or not 0 <= placement < 1 << 64 or type(seconds) is not float or not (
                    SMALLEST <= seconds <= LARGEST) or type(sample.get("clean", True)) is not bool or type(
                        sample.get("cpu_seconds", 0.0)) is not float:
                break
        else:
            if value:
                return
    except (AttributeError, KeyError, TypeError):
        pass
    SAMPLES(value)


LIBRARIES = map_of(fields({}, {"version": or_null(text), "path": or_null(text), "build_id": or_null(text)}))
REMARKS = list_of(fields({"code": text}, {"text": text}))


def read_own_environment(json: Any) -> Environment:
    """A run file may lack the facts about the program, but the output of `ecbench --environment` must have them."""
    found = read(Environment, json)
    fields({"shared_objects": anything, "ecbench": anything})(json)
    return found
