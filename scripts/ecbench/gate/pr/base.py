"""The base of a change if the user gives none: the commit at which the branch of the change left its target branch."""

import os

from ecbench.gate.sides.revisions import git
from ecbench.installation.places import SOURCE
from ecbench.process.children import Child
from ecbench.terminal.console import Refused

MAIN_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


def base_of_this_change(child: Child) -> str:
    """The base, a commit. In CI, GitLab provides this commit, and GitHub provides the name of the target branch. Throws Refused if
    there is no base."""
    if SOURCE is None:
        raise Refused("BASE is missing, and an installed ecbench has no git history: give a build directory as BASE")
    if commit := os.environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        return commit
    branch = os.environ.get("GITHUB_BASE_REF")
    names = [f"origin/{branch}"] if branch else list(MAIN_BRANCHES)
    for name in names:
        found, commit = git(["merge-base", name, "HEAD"], child)
        if found:
            return commit
    raise Refused(f"BASE is missing, and git finds no commit that this branch has in common with {' or '.join(names)}: give BASE, "
                  "such as HEAD~1, or fetch the complete history")
