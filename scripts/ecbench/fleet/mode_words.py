"""The mode that a fleet runs on each host, and the arguments of this mode."""

import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence

from ecbench.installation.places import FRONT_PROGRAM, SCRIPTS, SOURCE
from ecbench.terminal.console import Refused
from ecbench.terminal.suggestion import did_you_mean, one_of

MODES = ("run", "sweep", "tune")  # fleet report reads the runs of these modes
NO_RESULT = dict.fromkeys(("--dry-run", "--counts-only", "--print"), "with this option, the mode measures nothing")


def check(words: Sequence[str], modes: Sequence[str], not_allowed: Mapping[str, str]) -> None:
    """Throws Refused. `modes`: the modes that are allowed, such as "gate ab". `not_allowed`: option of a mode → why it is not
    allowed."""
    given = " ".join(words[:2 if words[:1] == ["gate"] else 1])
    if given not in modes:
        raise Refused(f"{f'the mode {given!r}' if words else 'a fleet without a mode'} is not allowed; choose "
                      f"{one_of(modes)}{did_you_mean(given, modes)}")
    for word in words:
        if why := not_allowed.get(word.partition("=")[0]):
            raise Refused(f"{word} is not allowed in a fleet: {why}; leave the option out")
    if not any("/" in word for word in words):  # a word with "/" may be a path that exists only on the hosts
        checked = subprocess.run([sys.executable, "-E", "-s", str(SCRIPTS / "mode.py"), "--check", *words],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if checked.returncode != 0:
            raise Refused(checked.stderr.strip().removeprefix("ecbench: ") or f"the arguments {' '.join(words)} are not allowed")


def with_seed(words: Sequence[str]) -> list[str]:
    """The words with the option --seed. With the same seed, all hosts measure the points in the same order."""
    if any(word.partition("=")[0] == "--seed" for word in words):
        return list(words)
    return [*words, "--seed", str(secrets.randbits(32))]


def front() -> list[str]:
    """The command to which a mode and its arguments are appended."""
    return [sys.executable, "-E", "-s", str(SCRIPTS / "mode.py")] if SOURCE else [str(FRONT_PROGRAM)]
