"""The plan as a JSON document. plan.schema.json describes its form."""

import dataclasses
import json

from ecbench.plan.outcomes import Losses, Outcome
from ecbench.plan.rebuild import Rebuild
from ecbench.plan.result import Result
from ecbench.point.point import Json

FORMAT = "ecbench plan 1"


def text(result: Result) -> str:
    return json.dumps(document(result), indent=1, allow_nan=False)


def document(result: Result) -> Json:
    request, recommendation = result.request, result.recommendation
    return {
        "format": FORMAT,
        "recommendation": {"profile": recommendation.chosen.name, "sentence": recommendation.sentence,
                           "notes": result.notes, "changes": recommendation.changes, "details": result.details,
                           "commands": result.commands},
        "sensitivity": [dataclasses.asdict(change) for change in result.sensitivity],
        "cluster": dataclasses.asdict(request.cluster),
        "release": request.release.name,
        "assumptions": [{"text": assumption, "words": words} for assumption, words in request.assumptions()],
        "speeds": result.speed_notes,
        "sizes": [{"object_bytes": size, "stripe_unit": unit} for size, unit in request.sizes()],
        "profiles": [profile(one, result) for one in result.outcomes],
        "left_out": result.dropped,
    }


def profile(one: Outcome, result: Result) -> Json:
    own, repair = one.counted.profile, one.counted.repair
    return {
        "name": own.name, "plugin": own.plugin, "technique": own.technique, "parameters": dict(own.parameters),
        "k": own.k, "n": own.n, "on_front": one.name in result.front, "status": one.status, "fast_ec": one.counted.fast_ec,
        "stripe_units": list(one.counted.stripe_units),
        "stored_per_byte": list(one.counted.stored), "survived_losses": one.counted.survived,
        "losses": [{**dataclasses.asdict(count), "recoverable_share": count.share} for count in one.counted.losses],
        "chunks_per_domain": one.layout.per_domain, "free_domains": one.layout.spare, "domains_survived": one.domains_survived,
        "domains_served": one.domains_served, "object_losses_per_year": losses(one.object_losses),
        "pool_losses_per_year": losses(one.pool_losses), "object_nines": one.object_nines, "pool_nines": one.pool_nines,
        "margin_nines": one.margin_nines, "fullest_share": one.full, "usable_bytes": one.usable,
        "drive_rebuild": rebuild(one.drive), "host_rebuild": rebuild(one.host),
        "read_per_lost_byte": repair.drive, "busy_per_lost_byte": repair.busy, "sent_per_lost_byte": repair.network,
            "helpers": repair.helpers,
        "reads_per_helper": repair.reads_per_helper,
        "encode_gb_per_s": gigabytes(one.speeds.encode), "repair_gb_per_s": gigabytes(one.speeds.repair),
        "degraded_read_gb_per_s": gigabytes(one.speeds.degraded_read), "write_cores": one.write_cores(result.request.cluster),
        "rebuild_cores": one.rebuild_cores, "overwrite_reads": one.overwrite.reads, "overwrite_writes": one.overwrite.writes,
    }


def losses(found: Losses | None) -> Json | None:
    return dataclasses.asdict(found) if found else None


def rebuild(found: Rebuild | None) -> Json | None:
    if found is None:
        return None
    return {"lost_bytes": found.lost_bytes, "seconds": found.seconds, "limit": found.limit, "limit_seconds": found.limits}


def gigabytes(value: float | None) -> float | None:
    return None if value is None else value / 1e9
