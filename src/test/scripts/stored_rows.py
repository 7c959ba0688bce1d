"""The rows of a stored run, read without the code under test."""

import gzip
import json


def rows_by_point(path):
    """Maps the id of each planned point to its rows. A row that was measured again counts only if it has no warnings; it then
    replaces the first row of the same repetition."""
    counted = {}
    for line in gzip.decompress(path.read_bytes()).splitlines():
        record = json.loads(line)
        if record["record"] == "row" and not record.get("stage") and not (record.get("again") and record["warnings"]):
            counted[record["id"], record["repetition"]] = record
    rows = {}
    for (identity, _), record in counted.items():
        rows.setdefault(identity, []).append(record)
    return rows
