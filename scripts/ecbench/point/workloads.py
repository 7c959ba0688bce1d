"""The workloads of ecbench and their properties. They are read from the C++ file that registers the workloads."""

import re

from ecbench.installation.places import WORKLOADS as FILE

_FACTS = dict(re.findall(r"^WORKLOAD\((\w+)(.*)\)$", FILE.read_text("utf-8"), re.MULTILINE))

WORKLOADS = tuple(_FACTS)
WITH_ERASURES = tuple(name for name, facts in _FACTS.items() if ".losses" in facts)  # all other workloads have 0 erasures
OVERWRITES = tuple(name for name, facts in _FACTS.items() if ".overwrites" in facts)  # workloads that change data chunks
REFERENCE_LOOPS = tuple(name for name, facts in _FACTS.items() if ".is_reference_loop" in facts)
