"""The arguments, the seed, the name and the bundle that all calls of fleet with one results directory share."""

import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import shlex
import shutil

from ecbench.files.home import home
from ecbench.fleet.collection import FLEET_FILE, FLEET_FORMAT, read_fleet
from ecbench.installation.places import OWN_BUILD, SOURCE
from ecbench.process.children import Child
from ecbench.terminal.console import Refused, say


def bundle_in(folder: pathlib.Path, given: str | None, child: Child) -> str:
    """Copies the given bundle to the results directory, or packs one there. Returns its name."""
    if given:
        with contextlib.suppress(shutil.SameFileError):
            shutil.copy(given, folder)
        return os.path.basename(given)
    if SOURCE is None:
        raise Refused("an installed ecbench cannot make a bundle: give one with --bundle ecbench-VERSION-ARCHITECTURE.tar.gz")
    say("packing the bundle for the hosts")
    code, stdout, stderr = child.run([str(SOURCE / "packaging" / "build-bundle.sh"), str(OWN_BUILD), str(folder)])
    if code != 0:
        raise Refused(f"packaging/build-bundle.sh had exit code {code}: {stderr.strip()[-500:]}")
    return os.path.basename(stdout.strip())


def variables_of(folder: pathlib.Path, given: argparse.Namespace, child: Child) -> dict[str, object]:
    """The variables of the role. fleet.json has what all calls have in common. A results directory can come from elsewhere, and all
    hosts run the bundle in it: ecbench/bundles in the user's state directory has the SHA-256 of those that were given or packed."""
    fleet, words = read_fleet(folder), given.words
    if not any(word.split("=")[0] == "--seed" for word in words):  # all hosts measure in the same order
        words = [*words, "--seed", str(int.from_bytes(os.urandom(4)))]
    found = fleet or {"format": FLEET_FORMAT, "hosts": [], "words": words, "bundle": bundle_in(folder, given.bundle, child),
                      "run": f"{words[0]}-{os.urandom(4).hex()}"}
    own = found.get("words") or [""]
    if not {"bundle", "run"} <= found.keys() or (own != given.words and (own[:-1] != words[:-1] or not own[-1].isdecimal())):
        raise Refused(f"{folder / FLEET_FILE} is not of this command: give the same arguments, or another directory with --output")
    kept = folder / found["bundle"]
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (kept, pathlib.Path(given.bundle or kept))]
    state = os.environ.get("XDG_STATE_HOME", "")
    known = pathlib.Path(state if state.startswith("/") else f"{home()}/.local/state", "ecbench", "bundles")
    trusted = known.read_text("utf-8", "replace").split() if known.exists() else []
    if (not fleet or given.bundle) and digests[1] not in trusted:
        known.parent.mkdir(parents=True, exist_ok=True)
        trusted.append(digests[1])
        with open(known, "a", encoding="utf-8") as file:
            file.write(f"{digests[1]}\n")
    if digests[0] != digests[1] or digests[0] not in trusted:
        raise Refused(f"{kept} is not {given.bundle or 'a bundle that you gave or packed'}, and all hosts would run it; if you "
                      f"trust it, give --bundle {shlex.quote(str(kept))}; otherwise give another directory with --output")
    (folder / FLEET_FILE).write_text(json.dumps(found, indent=1) + "\n")
    say(f"{shlex.join(found['words'])}; results: {folder}")
    return {"ecbench_bundle": str(kept), "ecbench_digest": digests[0], "ecbench_mode_words": found["words"], "ecbench_run":
            found["run"], "ecbench_results": str(folder), "ecbench_force": given.force, "ecbench_remove": given.remove}
