"""The workloads of ecbench and their properties, read from the file that registers them in C++."""

import re

from ecbench.installation.places import WORKLOADS as FILE

_FACTS = dict(re.findall(r"^WORKLOAD\((\w+)(.*)\)$", FILE.read_text("utf-8"), re.MULTILINE))

WORKLOADS = tuple(_FACTS)
WITH_ERASURES = tuple(name for name, facts in _FACTS.items() if ".losses" in facts)  # all others have 0 erasures
OVERWRITES = tuple(name for name, facts in _FACTS.items() if ".overwrites" in facts)  # these change data chunks
REFERENCE_LOOPS = tuple(name for name, facts in _FACTS.items() if ".is_reference_loop" in facts)
