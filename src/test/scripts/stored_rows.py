"""The rows of a stored run, read without the code under test."""

import gzip
import json


def records_of(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def points_of(path):
    """The points in the header, and those that were added later. Each has an id and a point."""
    header, *records = records_of(path)
    return header["points"] + [record for record in records if record["record"] == "point"]


def rows_by_point(path):
    """Maps the id of each planned point to its rows. A row that was measured again counts only if it has no warnings; it then
    replaces the first row of the same repetition."""
    counted = {}
    for record in records_of(path):
        if record["record"] == "row" and not record.get("stage") and not (record.get("again") and record.get("warnings")):
            counted[record["id"], record["repetition"]] = record
    rows = {}
    for (identity, _), record in counted.items():
        rows.setdefault(identity, []).append(record)
    return rows
