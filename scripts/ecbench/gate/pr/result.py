"""The outcome of gate pr: one verdict for the two checks, and the outcome as JSON, table and Markdown."""

import collections
import dataclasses
import json
from collections.abc import Sequence
from typing import Any, TextIO

from ecbench.gate.ab import markdown as ab_markdown
from ecbench.gate.ab import wording
from ecbench.gate.ab.table import print_table
from ecbench.gate.ab.verdict import INCONCLUSIVE
from ecbench.gate.ir import output as ir_output
from ecbench.gate.ir.comparing import Result
from ecbench.gate.sides import exit_codes
from ecbench.gate.sides.markdown import MOST_CHARACTERS, document, plain
from ecbench.terminal import console

FORMAT = "ecbench gate pr 1"
WRONG_BYTES, REGRESSION, NO_REGRESSION = "wrong bytes", "regression", "no regression"
LOUD = {WRONG_BYTES: "WRONG BYTES", REGRESSION: "REGRESSION"}
NOT_RUN = "not run"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcomes of gate ir and gate ab. `ir` or `ab` is None if this check did not run or found wrong bytes."""
    ir: Result | None
    ab: dict[str, Any] | None
    readable: dict[str, str]  # linker name of a function → readable name
    wrong_bytes: str | None = None  # the message of the check that found wrong bytes

    @property
    def verdict(self) -> str:
        """The more serious verdict of the two checks."""
        if self.wrong_bytes:
            return WRONG_BYTES
        if exit_codes.REGRESSION in (self.ir.exit_code if self.ir else None, self.ab["exit_code"] if self.ab else None):
            return REGRESSION
        return INCONCLUSIVE if self.ab and self.ab["verdict"] == INCONCLUSIVE else NO_REGRESSION

    @property
    def exit_code(self) -> int:
        if self.verdict == WRONG_BYTES:
            return exit_codes.WRONG_BYTES
        if self.verdict == REGRESSION:
            return exit_codes.REGRESSION
        return self.ab["exit_code"] if self.ab else exit_codes.NO_REGRESSION

    def checks(self) -> list[tuple[str, str]]:
        """Pairs: the name of a check, and the outcome of this check in one line."""
        counts = collections.Counter(verdict.outcome for verdict in self.ir.verdicts) if self.ir else None
        failed = f"WRONG BYTES: {self.wrong_bytes}" if self.wrong_bytes else NOT_RUN
        after = NOT_RUN if self.ir is None else failed
        return [("instructions (gate ir)", ir_output.headline(self.ir, counts) if self.ir and counts is not None else failed),
                ("speed (gate ab)", wording.outcome(self.ab) if self.ab else after)]

    def headline(self) -> str:
        return LOUD.get(self.verdict, self.verdict)


def to_json(outcome: Outcome) -> str:
    return json.dumps({
        "format": FORMAT, "verdict": outcome.verdict, "exit_code": outcome.exit_code, "wrong_bytes": outcome.wrong_bytes,
        "ir": ir_output.as_json(outcome.ir, outcome.readable) if outcome.ir else None, "ab": outcome.ab},
        indent=1, ensure_ascii=False) + "\n"


def print_outcome(outcome: Outcome, out: TextIO) -> None:
    if outcome.ir:
        ir_output.print_result(outcome.ir, outcome.readable, out)
        out.write("\n")
    if outcome.ab:
        print_table(outcome.ab, out)
        out.write("\n")
    for check, text in outcome.checks():
        out.write(f"{check}: {console.plain(text)}\n")
    out.write(f"gate pr: {outcome.headline()}\n")


def to_markdown(outcome: Outcome) -> str:
    """The Markdown for a pull request. It is short enough for a comment on GitHub: after the head, each check gets half of the
    allowed characters."""
    head = "\n".join([f"### ecbench gate pr: {outcome.headline()}", "", *facts(outcome),
                      *(f"- {check}: {plain(text)}" for check, text in outcome.checks())])
    most = (MOST_CHARACTERS - len(head)) // 2 - 8
    parts = [head]
    if outcome.ir:
        lines = ["#### Instructions per byte of object", "", plain(ir_output.summary(outcome.ir)[0])]
        parts.append(document(lines, *ir_output.rows(outcome.ir, outcome.readable), ir_output.remarks(outcome.ir), most))
    if outcome.ab:
        lines = ["#### Speed", "", *ab_markdown.facts(outcome.ab)]
        parts.append(document(lines, *ab_markdown.rows(outcome.ab), ab_markdown.notes(outcome.ab), most))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def facts(outcome: Outcome) -> Sequence[str]:
    if not outcome.ab:
        return []
    old, new = wording.sides(outcome.ab)
    return [f"{plain(old)} → {plain(new)}{ab_markdown.machine(outcome.ab)}", ""]
