"""The line that makes a profile in a Ceph cluster, and what Ceph's plans mean for it."""

import shlex

PLUGINS = ("jerasure", "isa", "lrc", "shec", "clay")
# "Ending Support for some Erasure Code Plugins", ceph.io, 2025-12-16: these stay, in jerasure no other technique.
KEPT = {("jerasure", "reed_sol_van"), ("isa", "reed_sol_van"), ("isa", "cauchy"), ("lrc", "")}
FIRST = ("k", "m", "technique")


def command_of(candidate):
    """None for a plugin that Ceph does not have. What is off or empty is left to Ceph, whose defaults are the same."""
    if candidate.plugin not in PLUGINS:
        return None
    profile = candidate.profile()
    keys = [key for key in FIRST if key in profile] + [key for key in profile if key not in FIRST]
    values = [f"{key}={profile[key]}" for key in keys if profile[key] not in ("", "false")]
    name = "-".join(word for word in ("fastest", candidate.plugin, profile.get("technique"), profile["k"], profile["m"]) if word)
    return shlex.join(["ceph", "osd", "erasure-code-profile", "set", name, f"plugin={candidate.plugin}", *values])


def note_of(candidate):
    """What an engineer should know before using it, "" if nothing."""
    technique = candidate.profile().get("technique", "")
    if candidate.plugin not in PLUGINS or (candidate.plugin, "" if candidate.plugin == "lrc" else technique) in KEPT:
        return ""
    what = candidate.plugin if candidate.plugin in ("shec", "clay") else f"{candidate.plugin}'s {technique}"
    return (f"Ceph deprecates {what} in its Umbrella release and removes it in the next (ceph.io, 2025-12-16, "
            "\"Ending Support for some Erasure Code Plugins\")")
