"""bench.sh conformance."""

import hashlib
import json
import os
import shutil

import scene

LETTERS = b"nwlrbbmqbhcdarzowkkyhiddqscdxrjmowfrx"
PROFILE = ("-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2")
NAME = "plugin=jerasure stripe-width=4096 technique=reed_sol_van k=4 m=2"


def lines_of_ceph():
    """The object with the fewest and then smallest chunks of each plugin and technique of Ceph's published corpus."""
    lines = map(json.loads, (scene.SOURCE / "src/test/data/corpus.jsonl").read_text().splitlines())
    smallest = {}
    for line in sorted(lines, key=lambda line: (len(line["chunks"]), line["chunk_size"])):
        smallest.setdefault((line["plugin"], line["profile"].get("technique")), line)
    return [line for line in smallest.values() if (scene.PLUGINS / f"libec_{line['plugin']}.so").exists()]


class Conformance(scene.Scene):
    def setUp(self):
        super().setUp()
        self.corpus = self.folder / "corpus"
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def conformance(self, *arguments):
        """Runs bench.sh conformance, and checks that no temporary files remain."""
        result = scene.ask("conformance", *arguments, "--ecbench", scene.ECBENCH, env={"TMPDIR": self.temporary})
        self.assertEqual(list(self.temporary.iterdir()), [])
        return result

    def create(self, *arguments):
        return self.succeeded(self.conformance("create", self.corpus, *arguments))

    def check(self, code=0):
        """The rows of the table: verdict, chunks, recovered losses, and directory with the reason."""
        result = self.conformance("check", self.corpus)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertIn(" directories: ", result.stderr)
        titles, *rows = [line.split("\t") for line in result.stdout.splitlines()]
        self.assertEqual(titles, ["verdict", "chunks", "losses recovered", "directory"])
        return rows

    def test_creates_the_folders_of_cephs_corpus(self):
        lines = lines_of_ceph()
        self.assertGreater(len(lines), 10)
        for line in lines:
            parameters = [word for key, value in line["profile"].items() for word in ("-P", f"{key}={value}")]
            result = self.create("-p", line["plugin"], *parameters, "-s", line["object_size"])
            name = " ".join([f"plugin={line['plugin']} stripe-width={line['object_size']}",
                             *(f"{key}={value}" for key, value in line["profile"].items())])
            folder = self.corpus / name
            self.assertEqual(result.stdout, f"{folder}\n")
            digests = [hashlib.sha256((folder / str(i)).read_bytes()).hexdigest() for i in range(len(line["chunks"]))]
            self.assertEqual(digests, line["chunks"], name)
            content = (folder / "content").read_bytes()
            self.assertEqual(content, (LETTERS * 2000)[:line["object_size"]])
            self.assertEqual(len(list(folder.iterdir())), len(line["chunks"]) + 1)
        self.assertEqual({row[0] for row in self.check()}, {"right"})

    def test_points_of_a_grid_that_no_code_supports_are_left_out(self):
        result = self.create("plugin=jerasure", "technique=reed_sol_van,reed_sol_r6_op", "k=2,3", "m=1,2", "size=100,4K")
        self.assertEqual(len(result.stdout.splitlines()), 2 * (4 + 2))
        self.assertIn("dropped 4 combinations, such as plugin=jerasure stripe-width=100 technique=reed_sol_r6_op k=2 m=1: m=1 is "
                      "not allowed", result.stderr)
        self.assertTrue((self.corpus / "plugin=jerasure stripe-width=4096 technique=reed_sol_van k=3 m=1").is_dir())

    def test_the_names_of_a_grid_have_its_order_and_no_parameter_that_a_technique_lacks(self):
        """The technique of example has no name; that of clay is a parameter."""
        for words, names in ((["plugin=jerasure packetsize=32 technique=reed_sol_van,liberation k=2 m=2"],
                              ["jerasure stripe-width=4096 technique=reed_sol_van k=2 m=2",
                               "jerasure stripe-width=4096 packetsize=32 technique=liberation k=2 m=2"]),
                             (["plugin=example"], ["example stripe-width=4096"]),
                             (["plugin=clay k=4 m=2 technique=cauchy_good"],
                              ["clay stripe-width=4096 k=4 m=2 technique=cauchy_good"])):
            self.assertEqual([line.rpartition("plugin=")[2] for line in self.create(*words).stdout.splitlines()], names)

    def test_overwrites_nothing_unless_forced(self):
        self.create(*PROFILE)
        (self.corpus / NAME / "0").write_bytes(b"mine")
        self.assert_refused(self.conformance("create", self.corpus, *PROFILE, "-s", "100,4096"), NAME, "exists already", "--force")
        self.assertEqual([path.name for path in self.corpus.iterdir()], [NAME])
        self.assertEqual((self.corpus / NAME / "0").read_bytes(), b"mine")
        self.create(*PROFILE, "--force")
        self.assertEqual(self.check()[0][0], "right")
        self.assertEqual([path.name for path in self.corpus.iterdir()], [NAME])

    def test_bad_input_prints_one_line_and_creates_nothing(self):
        (self.folder / "file").write_text("")
        create = ["create", self.corpus]
        for words, said in (([*create, *PROFILE[:2], "-P", "technique=nope"], "technique=nope"),
                            ([*create, "-p", "nope"], "plugin nope does not exist"),
                            ([*create, *PROFILE, "-P", "k=5"], "k is given twice"), ([*create, *PROFILE, "-P", "k"], "key=value"),
                            ([*create, *PROFILE, "-s", "0"], "--stripe-width"), (create, "no profile is given"),
                            ([*create, "k=4", *PROFILE], "in a grid, give plugin="), ([*create, "-P", "k=2"], "without --plugin"),
                            ([*create, "plugin=isa", "size=1", "-s", "1"], "both are the size"),
                            ([*create, "plugin=isa", "workload=decode"], "workload= is not an axis"),
                            ([*create, "k=999"], "refuses all these profiles"), (["hashes", "k=999"], "refuses all these profiles"),
                            ([*create, "plugin=isa k=0..1"], "k=0..1 is out of range"),
                            ([*create, *PROFILE, "-P", "mapping=a/b"], "contain /"),
                            (["create", self.folder / "file", *PROFILE], "cannot be created"),
                            (["hashes", "k=4", "size=4K"], "--chunk-size"), (["hashes", "nope=1"], "nope= is not an axis"),
                            (["hashes"], "GRID"), (["hashes", "k=4", "--chunk-size", "0"], "--chunk-size"),
                            (["check", self.folder / "nowhere"], "not a directory"), (["check"], "DIR"),
                            (["check", self.folder], "contains no directory plugin=")):
            result = self.conformance(*words)
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            self.assertIn(said, result.stderr.splitlines()[-1])
            if "k=999" not in words:
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertFalse(self.corpus.exists())

    def test_an_interrupt_leaves_only_finished_folders(self):
        command = scene.mode("conformance", "create", self.corpus, "plugin=isa,jerasure", "k=2..8", "m=2", "size=1M,2M",
                             "--ecbench", scene.ECBENCH)
        result = scene.interrupt(command, lambda: list(self.corpus.glob("plugin=*")))
        self.assertEqual((result.returncode, result.stderr.splitlines()[-1]), (130, "ecbench: interrupted"))
        for folder in self.corpus.iterdir():
            self.assertTrue(folder.name.startswith("plugin="), folder)
            self.assertGreater(len(list(folder.iterdir())), 3)

    def test_counts_chunks_and_losses(self):
        self.create("-p", "isa", "-P", "k=5", "-P", "m=3")
        self.create("-p", "jerasure", "-P", "technique=blaum_roth", "-P", "k=4", "-P", "packetsize=8")
        isa, blaum_roth = self.check()
        self.assertEqual(isa[:3], ["right", "8/8", "1:8/8 2:28/28 3:56/56"])
        self.assertEqual(blaum_roth[:3], ["right", "6/6", "1:6/6 2:14/15"])

    def test_a_folder_with_an_error_does_not_end_the_check(self):
        def renamed(old, new):
            return lambda folder: folder.rename(self.corpus / NAME.replace(old, new))

        def replaced(make):
            return lambda folder: (folder / "4").unlink() or make(folder / "4")

        for code, said, change in (
                (2, ("chunk 4 is encoded differently", "5/6"), lambda folder: (folder / "4").write_bytes(b"x")),
                (1, ("chunk 5 is missing", "5/6"), lambda folder: (folder / "5").unlink()),
                (1, ("contains a file 6",), lambda folder: shutil.copy(folder / "5", folder / "6")),
                (1, ("'content' has 5 bytes", "4096"), lambda folder: (folder / "content").write_bytes(b"short")),
                (1, ("content cannot be read",), lambda folder: (folder / "content").unlink()),
                *((1, ("4 cannot be read",), replaced(make)) for make in
                (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir)),
                (1, ("not a directory of a corpus",), lambda folder: folder.rename(self.corpus / "plugin=isa k=4")),
                (1, ("not a directory of a corpus",), renamed("plugin=", "")),
                (1, ("k=1 is not allowed",), renamed("k=4", "k=1")),
                (1, ("plugin nope does not exist",), renamed("jerasure", "nope"))):
            self.create(*PROFILE, "-s", "4096,100")
            change(self.corpus / NAME)
            found = {row[0]: "\t".join(row) for row in self.check(code)}
            self.assertEqual(found.keys(), {"right", "WRONG" if code == 2 else "refused"})
            for word in said:
                self.assertIn(word, found["WRONG" if code == 2 else "refused"])
            shutil.rmtree(self.corpus)

    def test_names_of_folders_are_shown_in_one_line_without_control_characters(self):
        self.create(*PROFILE)
        names = [f"v1\nright\t6/6\t1:6/6\tforged/{NAME}", f"v2\x1b[2J\x9b2J\u202e/{NAME}", os.fsdecode(b"v3\xff") + f"/{NAME}",
                 f"{NAME} x=\nforged", f"{NAME} x=\x1b[1A", os.fsdecode(f"{NAME} x=".encode() + b"\xff")]
        for name in names:
            shutil.copytree(self.corpus / NAME, self.corpus / name)
        rows = self.check(code=1)
        self.assertEqual((len(rows), [row[0] for row in rows].count("right")), (7, 4))
        shown = "".join(row[3] for row in rows)
        self.assertTrue(shown.isprintable(), shown)
        for escape in ("v1\\nright\\t6/6", "v2\\u001b[2J\\u009b2J\\u202e", "v3\\xff", "x=\\nforged", "x=\\xff", "UTF-8"):
            self.assertIn(escape, shown)

    def test_a_code_that_decodes_wrong(self):
        self.create("-p", "example")
        shutil.copytree(self.corpus / "plugin=example stripe-width=4096", self.corpus / "plugin=wrong_decode stripe-width=4096")
        plugins = self.plugins_of(scene.PLUGINS / "libec_example.so", scene.TEST_PLUGINS / "libec_wrong_decode.so")
        result = self.conformance("check", self.corpus, "--plugin-dir", plugins)
        self.assertEqual(result.returncode, 2)
        self.assertIn("1 right, 1 wrong", result.stderr)

    def test_wrong_bytes_end_create_and_hashes_with_exit_code_2(self):
        plugins = self.plugins_of(scene.TEST_PLUGINS / "libec_wrong_later.so")
        for arguments in (("create", self.corpus, "-p", "wrong_later", "-P", "from=1"),
                          ("hashes", "plugin=wrong_later", "technique=encode", "from=1")):
            result = self.conformance(*arguments, "--plugin-dir", plugins)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual(result.stdout, "")
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertFalse(self.corpus.exists())

    def test_folders_of_versions_and_names_of_ceph_0_85(self):
        self.create("-p", "isa", "-P", "technique=cauchy", "-P", "k=2", "-P", "m=1", "-s", "10000")
        folder, = self.corpus.iterdir()
        (self.corpus / "v0.85-916-g7c4d976").mkdir()
        folder.rename(self.corpus / "v0.85-916-g7c4d976" / "plugin=isa stipe-width=10000 technique=cauchy k=2 m=1")
        row, = self.check()
        self.assertEqual(row[0], "right")
        self.assertIn("v0.85-916-g7c4d976/plugin=isa stipe-width=10000", row[3])

    def hashes(self, *arguments):
        """Code → [(letter, hash), ...], the lines about equal chunks, and the first line."""
        lines = self.succeeded(self.conformance("hashes", *arguments)).stdout.splitlines()
        table = {line.split("\t")[0]: [tuple(cell.split()) for cell in line.split("\t")[1:]] for line in lines if "\t" in line}
        return table, [line for line in lines if line.startswith("the same bytes")], lines[0]

    def test_isa_with_two_coding_chunks_is_jerasures_raid_6(self):
        table, same, _ = self.hashes("k=4", "m=2")
        isa, raid6 = table["isa reed_sol_van k=4 m=2"], table["jerasure reed_sol_r6_op k=4 m=2"]
        self.assertEqual(isa, raid6)
        self.assertIn("the same bytes in all coding chunks: isa reed_sol_van k=4 m=2; jerasure reed_sol_r6_op k=4 m=2", same)
        self.assertEqual(isa[0], table["jerasure liberation k=4 m=2"][0], "both begin with the XOR of the data")
        self.assertNotEqual(isa[1], table["jerasure reed_sol_van k=4 m=2"][1])

    def test_chunks_have_a_size_that_no_code_pads(self):
        many = ["plugin=isa,jerasure", "technique=reed_sol_van,liberation", "w=7", "packetsize=12", "k=3", "m=2"]
        for words, size in ((many, 4704), (["plugin=isa", "k=3", "m=2", "--chunk-size", "100"], 128)):  # 4704 = 147 * 32 = 14 * 336
            self.assertEqual(self.hashes(*words)[2], f"k=3, chunks of {size} bytes, which no code pads")

    def test_the_mapping_makes_no_difference(self):
        table, same, _ = self.hashes("plugin=isa", "technique=cauchy", "k=2", "m=2", "mapping=DD__,_D_D")
        self.assertEqual(len(table), 2)
        self.assertEqual(len(same), 1)
