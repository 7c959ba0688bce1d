"""Tests `gate pr` with simulated results of `gate ir` and `gate ab`. The verdict of `gate pr` must be the more serious one of
their two verdicts. The text, the JSON and the Markdown of `gate pr` must agree with each other. The last tests check which commit
`gate pr` uses as the base of a branch."""

import io
import json
import os
import unittest
from unittest import mock

import jsonschema
import synthetic_gate
from ecbench.gate.ab.result import result_of
from ecbench.gate.ir.comparing import Result
from ecbench.gate.ir.counting import Count
from ecbench.gate.ir.judging import judge
from ecbench.gate.pr import base
from ecbench.gate.pr.result import Outcome, print_outcome, to_json, to_markdown
from ecbench.gate.sides import exit_codes
from ecbench.gate.sides.markdown import MOST_CHARACTERS
from ecbench.terminal.console import Refused
from gate_output_test import SCHEMA as AB_SCHEMA
from gate_output_test import SOURCE

SCHEMA = json.loads((SOURCE / "scripts/ecbench/gate/pr/result.schema.json").read_text("utf-8"))
IR_SCHEMA = json.loads((SOURCE / "scripts/ecbench/gate/ir/result.schema.json").read_text("utf-8"))


def counted(growth_percent=0, points=1):
    """Simulates the outcome of `gate ir`. At each point, NEW needs `growth_percent` % more instructions than OLD."""
    def count(instructions):
        return Count(instructions, 4, 1000, "k", {("lib.so", "loop"): instructions})

    before, now = count(100_000), count(1000 * (100 + growth_percent))
    verdicts = [judge(f"id{number}", f"isa 4+2 {number}", "callgrind", before, now, 0.5) for number in range(points)]
    code = exit_codes.REGRESSION if growth_percent > 0.5 else exit_codes.NO_REGRESSION
    return Result("NEW, build", "OLD, main (0123456789ab)", verdicts, code)


def measured(losses, launches=10, required=False):
    return result_of(synthetic_gate.gate_run(losses, launches), required)


def outcome(ir, ab, wrong=None):
    return Outcome(ir, ab, {"loop": "loop"}, wrong)


class Verdict(unittest.TestCase):
    def test_is_the_most_serious_of_both(self):
        same, grown = counted(), counted(9)
        fine, slower, unknown = measured([0, 0]), measured([0, 9]), measured([0, 9], 4)
        for ir, ab, wrong, verdict, code in (
                (same, fine, None, "no regression", 0), (grown, fine, None, "regression", 3), (same, slower, None, "regression", 3),
                (grown, slower, None, "regression", 3), (same, unknown, None, "inconclusive", 0),
                (grown, unknown, None, "regression", 3),
                (same, measured([0, 9], 4, True), None, "inconclusive", 4), (counted(-9), fine, None, "no regression", 0),
                (None, None, "other bytes", "wrong bytes", 2), (grown, None, "other bytes", "wrong bytes", 2),
                (same, measured([-9]), None, "no regression", 0)):
            with self.subTest(verdict=verdict, code=code):
                one = outcome(ir, ab, wrong)
                self.assertEqual((one.verdict, one.exit_code), (verdict, code))

    def test_each_check_has_a_line(self):
        self.assertEqual([text for _, text in outcome(counted(9), measured([0, 0])).checks()],
                         ["REGRESSION: 1 of 1 points grew", "no regression of 3 % or more in 2 points"])
        self.assertEqual([text for _, text in outcome(None, None, "chunk 0").checks()], ["WRONG BYTES: chunk 0", "not run"])
        self.assertEqual([text for _, text in outcome(counted(), None, "chunk 0").checks()],
                         ["none of 1 points grew beyond its tolerance", "WRONG BYTES: chunk 0"])


class Outputs(unittest.TestCase):
    def test_agree_and_follow_the_schemas(self):
        for one in (outcome(counted(9), measured([0, 9])), outcome(counted(), measured([0])), outcome(counted(), None, "chunk 0"),
                    outcome(None, None, "chunk 0")):
            said = json.loads(to_json(one))
            jsonschema.validate(said, SCHEMA)
            for part, schema in ((said["ir"], IR_SCHEMA), (said["ab"], AB_SCHEMA)):
                if part:
                    jsonschema.validate(part, schema)
            out = io.StringIO()
            print_outcome(one, out)
            self.assertEqual(out.getvalue().splitlines()[-1], f"gate pr: {one.headline()}")
            text = to_markdown(one)
            self.assertEqual(text.splitlines()[0], f"### ecbench gate pr: {one.headline()}")
            self.assertEqual([heading in text for heading in ("#### Instructions", "#### Speed")], [bool(one.ir), bool(one.ab)])
            self.assertNotRegex(text, r"!\[|<img|\]\(")
            self.assertEqual(text.count("<details>"), text.count("</details>"))

    def test_the_summary_fits_into_a_comment(self):
        for growth, loss in ((0, 0), (9, 9)):
            text = to_markdown(outcome(counted(growth, 900), measured([loss] * 900)))
            self.assertLess(len(text), MOST_CHARACTERS)
            self.assertEqual(text.count("more rows do not fit"), 2)


class Base(unittest.TestCase):
    def base(self, known, **environment):
        """Returns the base, and the list of branch names that were passed to git. `known` maps a branch name to the newest commit
        that this branch and HEAD have in common. The simulated git finds only the branches in `known`."""
        names = []

        def git(words, _child):
            names.append(words[1])
            return words[1] in known, known.get(words[1], "fatal")

        cleared = dict.fromkeys(("CI_MERGE_REQUEST_DIFF_BASE_SHA", "GITHUB_BASE_REF"), "")
        with mock.patch.object(base, "git", git), mock.patch.dict(os.environ, {**cleared, **environment}):
            return base.base_of_this_change(mock.Mock()), names

    def test_is_where_the_branch_left_the_main_branch(self):
        self.assertEqual(self.base({"main": "a", "origin/main": "b"}), ("b", ["origin/HEAD", "origin/main"]))
        self.assertEqual(self.base({"main": "a"})[0], "a")

    def test_is_what_ci_names(self):
        self.assertEqual(self.base({"main": "a"}, CI_MERGE_REQUEST_DIFF_BASE_SHA="c"), ("c", []))
        self.assertEqual(self.base({"main": "a", "origin/release": "d"}, GITHUB_BASE_REF="release")[0], "d")

    def test_must_be_given_if_none_is_found(self):
        for environment in ({}, {"GITHUB_BASE_REF": "gone"}):
            with self.assertRaisesRegex(Refused, "BASE is missing.*give BASE"):
                self.base({"main": "a"} if environment else {}, **environment)


if __name__ == "__main__":
    unittest.main(verbosity=2)
