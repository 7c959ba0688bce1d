"""Finds the base of a change if the user does not give BASE. The base is the newest commit that the branch of the change has in
common with its target branch."""

import os

from ecbench.gate.sides.revisions import git
from ecbench.installation.places import SOURCE
from ecbench.process.children import Child
from ecbench.terminal.console import Refused

MAIN_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


def base_of_this_change(child: Child) -> str:
    """The hash of the base. In a merge request, GitLab sets an environment variable to this hash. In a pull request, GitHub sets an
    environment variable to the name of the target branch. Throws Refused if no base is found."""
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
