"""bench.sh plan with the real program."""

import json
import re

import scene

CLUSTER = ["hosts=12", "drives=24x20T"]
SMALL = ["hosts=7", "drives=4x1T", "k=4", "m=2", "plugin=isa,clay", "object=64K", "stripe-unit=4K"]


class Plan(scene.Scene):
    def ask(self, *args, ecbench=scene.FAKE):
        # crushtool, if it is installed, would take six seconds; crush_test.py uses it.
        return scene.ask("plan", "--ecbench", ecbench, *args, env={"PATH": self.folder})

    def printed(self, *args):
        return self.succeeded(self.ask(*args)).stdout

    def document(self, *args):
        document = json.loads(self.printed("--format", "json", *args))
        scene.validator("plan").validate(document)
        return document, {profile["name"]: profile for profile in document["profiles"]}

    def test_losses_that_can_be_recovered(self):
        _, lrc = self.document(*CLUSTER, "k=4", "m=2", "l=3", "plugin=lrc", "--counts-only")
        self.assertEqual([(count["patterns"] - count["unrecoverable"], count["patterns"]) for count in lrc["lrc 4/2/3"]["losses"]],
                         [(8, 8), (22, 28), (24, 56), (0, 70)], "Ceph's decoder; ecbench's recovers all 28 pairs")
        _, shec = self.document(*CLUSTER, "k=6", "m=4", "c=3", "plugin=shec", "--counts-only")
        last = shec["shec 6/4/3"]["losses"][-1]
        self.assertEqual((last["chunks"], last["patterns"] - last["unrecoverable"], last["patterns"]), (4, 179, 210))
        self.assertEqual((lrc["lrc 4/2/3"]["survived_losses"], shec["shec 6/4/3"]["survived_losses"]), (1, 3))

    def test_tables_and_recommendation(self):
        text = self.printed(*CLUSTER, "k=8", "m=3,4", "--counts-only", "--verbose")
        self.assertTrue(text.startswith("Take isa 8+3 "), text[:80])
        self.assertRegex(text, r"\n   isa 8\+4 +1\.500 +4 +- +4\+0 +3 +0 ")
        self.assertRegex(text, r"\n\*  isa 8\+3 +4\.0 h +recovery-share +3\.4 d +recovery-share +8\.000 +8\.000 +8\.000 ")
        self.assertRegex(text, r"clay 8\+3 .* deprecated, stripe unit 20736\n")
        self.assertRegex(text, r"\n   3 copies +3\.000 +2 ")
        self.assertIn("plugin=isa k=8 m=3 technique=reed_sol_van stripe_unit=16384 crush-failure-domain=host\n",
                      re.sub(r" \\\n +", " ", text))
        for words in ("hosts= drives=", "net=", "afr=", "release=", "write-rate=", "uer= deep-scrub=", "--counts-only"):
            self.assertIn(f"({words})", text.partition("Assumptions")[2])

    def test_default_profiles_fit_the_hosts(self):
        document, found = self.document("hosts=7", "drives=10x8T", "release=vampire", "k=4,5", "--counts-only")
        self.assertEqual({profile["plugin"] for profile in found.values()}, {"isa", "replicated"})
        self.assertEqual((found["isa 5+4"]["chunks_per_domain"], found["isa 5+4"]["domains_survived"]), (2, 2))
        self.assertGreater(sum(reason["count"] for reason in document["left_out"]), 1, "lrc survives losses by their positions")

    def test_a_long_count_is_announced(self):
        for words, is_long in ((["k=2..35", "m=2..4", "plugin=isa"], True), (["k=4", "m=2", "plugin=isa"], False)):
            result = self.succeeded(self.ask("hosts=40", "drives=4x8T", *words, "--counts-only"))
            self.assertEqual(" of 102 profiles" in result.stderr, is_long, result.stderr)

    def test_space_of_small_objects_by_release(self):
        words = [*CLUSTER, "k=4", "m=2", "plugin=isa", "object=4K", "stripe-unit=16K", "--counts-only"]
        for release, stored in (("squid", 24), ("tentacle", 3)):
            self.assertEqual(self.document(*words, f"release={release}")[1]["isa 4+2"]["stored_per_byte"], [stored])

    def test_reads_of_clay_by_release(self):
        words = [*CLUSTER, "k=4", "m=2", "plugin=isa,clay", "stripe-unit=64K", "--counts-only"]
        for release, sent in (("squid", 3), ("tentacle", 4)):
            self.assertEqual(self.document(*words, f"release={release}")[1]["clay 4+2"]["sent_per_lost_byte"], sent)

    def test_the_speeds_of_a_run_can_be_read_again(self):
        run_file = self.folder / "a run.jsonl"
        text = self.printed(*SMALL, "--rounds", "2", "--min-time", "0.001", "--seed", "1", "--output", run_file, "--verbose")
        self.assertRegex(text, r"\n\*  isa 4\+2 +\d[\d.]*!? +\d[\d.]* +\d\d +\d[\d.]*\+\d[\d.]* +\d[\d.]*!? +\d[\d.]*!? +4 +3\+3\n")
        self.assertEqual((self.folder / "a run-page.html").exists(), scene.HAS_PAGE_LIBRARY)
        document, found = self.document(*SMALL, "--runs", run_file)
        self.assertEqual((document, found), self.document(*SMALL, "--runs", self.folder))
        self.assertIn("a run.jsonl", document["speeds"][0])
        records = scene.records_of(run_file)
        encode = [record["gb_per_s"] for record in records if record["record"] == "row" and record["workload"] == "encode"
                  and record["plugin"] == "isa"]
        self.assertTrue(min(encode) <= found["isa 4+2"]["encode_gb_per_s"] <= max(encode))
        self.assertGreater(found["clay 4+2"]["rebuild_cores"], 0)
        self.assertAlmostEqual(found["isa 4+2"]["write_cores"], 10 / found["isa 4+2"]["encode_gb_per_s"] + 10 * 0.0625,
                               msg="of these, 0.0625 CPU seconds per GB for the CRC32C: src/test/fake")

    def test_the_page(self):
        if not scene.HAS_PAGE_LIBRARY:
            self.skipTest("vl-convert-python is not installed")
        page = self.folder / "plan.html"
        self.printed(*CLUSTER, "k=8", "m=3,4", "--counts-only", "--page", page)
        text = page.read_text(encoding="utf-8")
        self.assertLess(text.index("Take isa 8+3"), text.index("<svg"))
        found = {one["name"] for one in self.document(*CLUSTER, "k=8", "m=3,4", "--counts-only")[0]["profiles"]}
        self.assertEqual({row["code"] for row in scene.rows_of_page(text)}, found)
        other = self.folder / "other.html"
        other.write_text("mine")
        self.assert_refused(self.ask(*CLUSTER, "--counts-only", "--page", other), "other.html")
        self.assertEqual(other.read_text(), "mine")
