"""bench.sh tune with invented times."""

import json

import scene


class Tune(scene.Scene):
    def tune(self, *arguments):
        return scene.ask("tune", "--ecbench", scene.FAKE, *arguments)

    def test_ends_with_a_table_and_lines_that_run(self):
        words = ["k=4", "m=2", "size=4K", "plugin=jerasure", "technique=reed_sol_van,blaum_roth", "w=8,6,7", "packetsize=64",
                 "max-padding=100"]
        self.assertRegex(self.tune(*words, "--dry-run").stderr, "blaum_roth packetsize=64 w=7: .* 1 of 15 erasure patterns")
        self.invent({"if": {"w": "7"}, "speed": 12}, {"if": {"w": "6"}, "speed": 9})
        lines = self.succeeded(self.tune(*words, "--seed", "5")).stdout.splitlines()
        title = lines.index("4+2, 4 KiB")
        self.assertEqual(lines[title + 1].split()[:5], ["GB/s", "±%", "encode", "decode", "2"])
        self.assertEqual(lines[title + 2].split()[:2], ["jerasure", "blaum_roth"])
        self.assertRegex(lines[-1], r"^sure: jerasure blaum_roth is the fastest \([\d.]+ times jerasure ")
        measured = [line.strip().replace(str(scene.FAKE), str(scene.ECBENCH)) for line in lines if " --workload " in line]
        self.assertEqual(len(measured), 2)
        for line in measured:
            again = ["sh", "-c", f"{line} --iterations 1 --format json"]  # run by sh, because paths may begin with ~
            row = json.loads(self.succeeded(scene.run(again)).stdout)
            self.assertEqual((row["k"], row["m"], row["size"]), (4, 2, 4096))
            self.assertEqual(row["erasures"], 2 if row["workload"] == "decode" else 0)
        profile = next(line.split() for line in lines if line.startswith("  ceph osd erasure-code-profile set "))
        self.assertEqual(profile[5:11], ["plugin=jerasure", "k=4", "m=2", "technique=blaum_roth", "packetsize=64", "w=6"])
        self.assertEqual(profile[-1], "crush-failure-domain=host")

    def test_a_table_for_each_combination(self):
        self.invent({"if": {"plugin": "jerasure"}, "speed": 3})  # as fast as isa
        result = self.succeeded(self.tune("k=4", "m=1,2", "size=8k", "stripe-unit=1k", "plugin=isa,jerasure", "w=8",
                                          "technique=reed_sol_van", "workload=encode", "--seed", "1"))
        for shape in ("4+1", "4+2"):
            self.assertIn(f"\n{shape}, 8 KiB, stripe unit 1 KiB\n", result.stdout)
        profiles = [line.split()[4:] for line in result.stdout.splitlines()
                    if line.startswith("  ceph osd erasure-code-profile set ")]
        self.assertEqual(profiles[0], ["fastest-isa-reed_sol_van-4-1-1024", "plugin=isa", "k=4", "m=1", "technique=reed_sol_van",
                                       "stripe_unit=1024", "crush-failure-domain=host", "--force"])
        self.assertEqual(len(profiles), 2)
        self.assertRegex(result.stdout, r"4\+2, .*: sure: \S+ reed_sol_van( w=8)? is the fastest \(.*ties\)\n")

    def test_warnings_make_it_likely_at_most(self):
        self.invent({"disturbed": 1}, {"if": {"technique": "cauchy"}, "speed": 1.3})
        result = self.succeeded(self.tune("k=4", "m=2", "size=4K", "plugin=isa", "workload=encode", "--seed", "1"))
        self.assertRegex(result.stdout, r"\nlikely: isa cauchy is the fastest \(\d+ % faster than isa reed_sol_van\)\n$")
        self.assertNotIn("ceph osd", result.stdout)
