"""The revision that a change is compared with if the user names none: where its branch left the main branch."""

import os

from ecbench.gate.sides.revisions import git
from ecbench.installation.places import SOURCE
from ecbench.process.children import Child
from ecbench.terminal.console import Refused

MAIN_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


def base_of_this_change(child: Child) -> str:
    """A commit. GitLab names it, GitHub names the branch. Throws Refused if there is none."""
    if SOURCE is None:
        raise Refused("BASE is missing, and an installed ecbench has no git history to find it: give BASE, a build directory")
    if commit := os.environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        return commit
    branch = os.environ.get("GITHUB_BASE_REF")
    names = [f"origin/{branch}"] if branch else list(MAIN_BRANCHES)
    for name in names:
        found, commit = git(["merge-base", name, "HEAD"], child)
        if found:
            return commit
    raise Refused(f"BASE is missing, and git finds no commit that this branch has in common with {' or '.join(names)}: give BASE, "
                  "such as HEAD~1, or fetch the whole history")
