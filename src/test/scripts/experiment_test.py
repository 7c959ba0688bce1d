"""The language of experiments."""

import contextlib
import itertools
import pathlib
import tempfile
import unittest

from ecbench.ceph.profile import TECHNIQUES, chunk_size
from ecbench.experiment import cases
from ecbench.experiment.expansion import Expansion, evaluated, expand, present, with_best
from ecbench.experiment.experiment import Experiment, read_experiment
from ecbench.experiment.running import check_reference
from ecbench.installation.places import MEASURING
from ecbench.point.axes import OPTIONS, Language, read_axes
from ecbench.point.point import Description, Parameter, Planned, Plugin, Point, Technique, make_point
from ecbench.run import program
from ecbench.terminal.console import Refused

PER_CHUNK = "jerasure-per-chunk-alignment"
DEFAULTS = {"k": "2", "m": "2", "w": "8", "packetsize": "2048", PER_CHUNK: "false"}


def technique(name, *parameters):
    return Technique(name, [Parameter(one, "flag" if one == PER_CHUNK else "count") for one in ("k", "m", *parameters)])


PLUGINS = {
    "isa": Plugin("isa", [technique("reed_sol_van"), technique("cauchy")]),
    "jerasure": Plugin("jerasure", [
        technique("reed_sol_van", "w", PER_CHUNK), technique("reed_sol_r6_op", "w"),
        *(technique(name, "w", "packetsize", PER_CHUNK) for name in ("cauchy_orig", "cauchy_good")),
        *(technique(name, "w", "packetsize") for name in ("liberation", "blaum_roth", "liber8tion"))]),
    "example": Plugin("example", [technique("")]),
}
LANGUAGE, LANGUAGE_WITH_SIMD = Language(PLUGINS), Language({**PLUGINS, "simd": PLUGINS["isa"]})


def describe(requests):
    return [describe_one(request["words"]) for request in requests]


def describe_one(words):
    values = dict(zip(words[::2], words[1::2])) | {"profile": {}}
    for name, value in zip(words[::2], words[1::2]):
        if name == "--parameter":
            values["profile"].update([value.split("=", 1)])
    name = values["profile"].get("technique", "")
    known = next(has for has in PLUGINS[values["--plugin"]].techniques if has.name == name)
    profile = {parameter.name: DEFAULTS[parameter.name] for parameter in known.parameters} | values["profile"]
    m, erasures, size = int(profile["m"]), int(values.get("--erasures", "--erased" in values)), int(values["--size"])
    if name == "liber8tion" and m != 2:
        return Description(refused=f"m={m} is not allowed: use 2")
    if erasures > m:
        return Description(refused=f"--erasures {erasures} is not allowed: this code can lose at most {m}")
    k, unit = int(profile["k"]), int(profile.get("w", 1)) * int(profile.get("packetsize", 1))
    chunk = -(-size // k // unit) * unit
    return Description(profile=profile, m=m, erasures=erasures, chunk_size=chunk, padding_percent=100 * (k * chunk / size - 1))


def points_of(*words):
    return expand(read_experiment(list(words), LANGUAGE).points, PLUGINS, describe)


class Reading(unittest.TestCase):
    def test_lists_and_ranges(self):
        for word, expected in (("k=4,4,06,6", (4, 6)), ("packetsize=64..512*2", (64, 128, 256, 512)),
                               ("packetsize=64..500*2,3072", (64, 128, 256, 3072)), ("k=2..10+3", (2, 5, 8)),
                               ("k=2..4", (2, 3, 4)), ("k=4..4", (4,)), ("size=4K,1M,1MiB,4k,4kib", (4096, 1 << 20)),
                               ("size=4K..16K*2", (4096, 8192, 16384)),
                               ("jerasure-per-chunk-alignment=yes,no,true", ("true", "false"))):
            self.assertEqual(read_axes([word], LANGUAGE), {word.partition("=")[0]: expected}, word)

    def test_a_range_that_does_not_end_is_refused(self):
        for word in ("k=2..10+0", "k=2..10*0", "k=2..10*1", "k=0..10*2", "k=10..2", "k=10..2*2", "k=2..", "k=..2", "k=2..4-1"):
            with self.assertRaises(Refused, msg=word):
                read_axes([word], LANGUAGE)

    def test_unusable_words_are_refused_with_what_is_allowed(self):
        for words, said in (("kk=3", "did you mean k?"), ("sise=4K", "did you mean size?"),
                            ("packetsiz", "did you mean packetsize?"), ("workload=encod", "did you mean encode?"),
                            ("plugin=jerazure", "did you mean jerasure?"),
                            ("technique=cauchy_god", "did you mean cauchy_good?"), ("cache=worm", "did you mean warm?"),
                            ("=3", "not allowed"), ("k=", "empty value"), ("k=4,,6", "empty value"), ("k=4 k=6", "given twice"),
                            ("4+2 6+2", "k+m is given twice"), ("k+m=6-3", "give pairs such as k+m=8+3,4+2"),
                            ("nowhere", "packetsize"), ("../experiments/ceph", "neither"), ("plugin=none", "isa, jerasure"),
                            ("technique=none", "cauchy_good"), ("workload=read", "encode, decode"), ("cache=hot", "warm or cold"),
                            ("size=0", "at least 1"), ("size=1.5K", "not allowed"), ("threads=-1", "not allowed"),
                            ("max-padding=1,2", "one number"), (" ", "no experiment"),
                            ("packetsize=1..1000 k=1..1000 m=1..2", "at most 1000000"), ("size=1..99999999999", "at most")):
            with self.assertRaises(Refused, msg=words) as caught:
                read_experiment([words], LANGUAGE)
            self.assertIn(said, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

    def test_before_the_build_unknown_words_may_be_parameters_of_plugins(self):
        before = Language(None)
        self.assertEqual(read_experiment(["plugin=mine technique=any colour=red,blue k=4,6"], before).points,
                         ({"plugin": ("mine",), "technique": ("any",), "colour": ("red", "blue"), "k": (4, 6)},))
        for word in ("k=x", "m=0", "size=4X", "packetsize=1..", "w=", "cache=hot", "stripe-unit=0", "k=4 k=6", "nowhere"):
            with self.assertRaises(Refused):
                read_experiment(word.split(), before)
        with self.assertRaisesRegex(Refused, "colour= is not an axis"):
            read_experiment(["colour=red"], Language(None, OPTIONS, takes_profiles=False))

    def test_axes_next_to_a_named_experiment_replace_those_of_the_file(self):
        found = read_experiment(["packetsize", "size=4K", "max-padding=1"], LANGUAGE)
        self.assertEqual(found.name, "packetsize")
        self.assertEqual({axes["size"] for axes in found.points}, {(4096,)})
        self.assertGreater(len(found.points), 1)

    def test_pairs_of_k_and_m(self):
        def shapes_in(*words):
            return [(axes["k"], axes["m"]) for axes in read_experiment([*words, "plugin=isa"], LANGUAGE).points]
        self.assertEqual(shapes_in("8+3,4+2"), [((8,), (3,)), ((4,), (2,))])
        self.assertEqual(shapes_in("k+m=8+3"), [((8,), (3,))])
        path = self.file('points = ["8+3,4+2,4+1"]')
        for words, expected in (((), 3), (("k=4",), 2), (("m=3",), 1), (("k=5", "m=2"), 1), (("6+2",), 1)):
            self.assertEqual(len(shapes_in(path, *words)), expected, words)
        for words in (("8+3", "k=4"), (path, "k=5"), (path, path + "x")):
            with self.assertRaises(Refused, msg=words):
                shapes_in(*words)

    def file(self, text):
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench experiment ")), "an experiment.toml")
        path.write_text(text, "utf-8")
        return str(path)

    def test_stages_and_libraries(self):
        text = ('points = ["library=a plugin=isa technique=best 8+3", "library=b plugin=klauspost 8+3", "plugin=example 8+3"]\n'
                'candidate = ["library"]\nstages = [{ keep = 2 }, { keep = 1, of = "library", rounds = 3, min_time = "5ms" }]')
        found = read_experiment([self.file(text)], LANGUAGE)
        self.assertEqual([(one.keep, one.of, one.rounds, one.effort.min_time) for one in found.stages],
                         [(2, "", 2, 0.01), (1, "library", 3, 0.005)])
        entries, left_out = present(found.points, PLUGINS, "/no/such/ecbench", [])
        self.assertEqual([axes.get("library") for axes in entries], [("a",), None])
        self.assertRegex(left_out, "^b; .*make contenders")
        [one] = expand(entries[:1], PLUGINS, describe).entries[:1]
        self.assertEqual((one.library, one.point.get("technique")), ("a", "reed_sol_van"))
        for words, left in ((("library=b",), ["klauspost", "example"]), (("plugin=isa",), ["isa", "example"])):
            kept = read_experiment([self.file(text), *words], Language(PLUGINS)).points
            self.assertEqual([axes["plugin"][0] for axes in kept], left)
        for words, said in (("library=c", "library=c is not allowed; choose a or b"), ("plugin=simd", "plugin=simd is not allowed"),
                            ("plugin=klauspost library=a", "the libraries use other plugins")):
            with self.assertRaisesRegex(Refused, said):
                read_experiment([self.file(text.replace(', "plugin=example 8+3"', "")), words], Language(PLUGINS))
        for words, techniques in (("technique=cauchy", [("cauchy",)]), ("library=a technique=cauchy", [("cauchy",)]),
                                  ("library=a", [("best",)])):  # best is the only one of a
            path = self.file(text.replace('klauspost 8+3", "plugin=example 8+3"', 'klauspost technique=cauchy 8+3"'))
            found = read_experiment([path, *words.split()], Language(PLUGINS)).points
            self.assertEqual([axes["technique"] for axes in found], techniques)

    def test_files_whose_values_are_completed_or_written_in_another_way(self):
        """A byte order mark; candidates that only the words of the user distinguish; a reference in another unit."""
        change = f'\ufeff{CHANGE_OF}reference = {{ plugin = "isa" }}'
        for words in ((), ("plugin=isa",)):  # fewer candidates than in the file are no error
            self.assertEqual(read_experiment([self.file(change), *words], LANGUAGE_WITH_SIMD).reference, (("plugin", "isa"),))
        libraries = ('points = ["plugin=isa k=6 m=2"]\nquestion = "change"\ncandidate = ["codec-lib"]\n'
                     'reference = { codec-lib = "none" }')
        with self.assertRaisesRegex(Refused, "needs two"):
            read_experiment([self.file(libraries)], LANGUAGE)
        for text, words in ((libraries, ["codec-lib=none,/opt"]), (libraries.replace("k=6", "codec-lib=none,built k=6"), [])):
            points = read_experiment([self.file(text), *words], LANGUAGE).points
            self.assertEqual(len(points[0]["codec-lib"]), 2)
            with tempfile.TemporaryDirectory() as folder:
                for built, folders in ((False, ["none"]), (True, ["none", f"{folder}/isal-2.32"])):
                    if built:
                        pathlib.Path(folder, "isal-2.32").mkdir()
                    [axes], left_out = present(points, PLUGINS, f"{folder}/ecbench", [])
                    self.assertEqual(list(axes["codec-lib"]), ["none", "/opt"] if words else folders)
                    self.assertEqual("make isal" in left_out, not words and not built)
        sizes = CHANGE_OF.replace('"plugin"', '"size"').replace("k=6", "k=6 size=4K,8K") + 'reference = { size = "4K" }'
        found = read_experiment([self.file(sizes)], LANGUAGE_WITH_SIMD)
        points = cases.Points([Planned(make_point("isa", {}, "encode", size, 0)) for size in (4096, 8192)], found)
        self.assertEqual(list(map(points.is_reference, points.properties)), [True, False])

    def test_a_reference_that_several_candidates_of_a_case_match_is_refused(self):
        entries = [Planned(make_point(plugin, {"technique": name}, "encode", 4096, 0))
                   for plugin, name in (("isa", "cauchy"), ("isa", "reed_sol_van"), ("jerasure", "cauchy_good"))]
        for reference, found in (({"plugin": "isa"}, "isa cauchy, isa reed_sol_van"), ({"plugin": "jerasure"}, "")):
            experiment = Experiment(question="change", candidate=("plugin", "technique"), reference=tuple(reference.items()))
            with self.assertRaisesRegex(Refused, found) if found else contextlib.nullcontext():
                check_reference(experiment, Expansion(entries))

    def test_only_what_an_experiment_measures_is_built(self):
        for words, targets in (("plugin=isa", []), ("quick 6+2", ["try isal"]), ("codec-lib=built", ["try isal"]),
                               ("plugin=isa,klauspost codec-lib=none", ["try contenders"]),
                               ("libraries", ["try contenders", "try isal"]),
                               ("libraries --dry-run", []), ("recovery --counts-only", [])):
            self.assertEqual(program.needs(words.split()), [*MEASURING, *targets], words)

    def test_the_best_techniques_follow_from_k_and_m(self):
        def best(plugin, k, m, **more):
            axes = {"plugin": (plugin,), "k": (k,), "m": (m,), "technique": ("best",), **more}
            return [found["technique"] for found in with_best(axes)]

        for k, m, technique in ((10, 4, "reed_sol_van"), (32, 3, "reed_sol_van"), (33, 3, "cauchy"), (22, 4, "cauchy"),
                                (16, 8, "cauchy")):
            self.assertEqual(best("isa", k, m), [(technique,)])
            self.assertEqual(best("ceph", k, m, **{"ceph-plugin": ("isa",)}), [(technique,)])
        self.assertEqual(best("simd", 6, 3), [("reed_sol_van",)])
        self.assertEqual(best("simd", 8, 4), [("reed_sol_van", "cauchy", "leopard_gf8")])
        self.assertEqual(best("simd", 16, 8), [("cauchy", "leopard_gf8")])
        self.assertEqual(best("jerasure", 6, 2), [("reed_sol_van", "reed_sol_r6_op")])
        for words in ("plugin=example technique=best 4+2", "technique=best 4+2", "plugin=isa technique=best"):
            with self.assertRaisesRegex(Refused, "technique=best"):
                points_of(words)

    def test_fitting_packetsizes_add_little_padding(self):
        for size, k, technique in itertools.product((4096, 128 << 10, 1 << 20, 4 << 20), (2, 6, 10), TECHNIQUES):
            for word in ("fit", "fit-odd"):
                point = make_point("jerasure", {"technique": technique, "k": k, "m": 2, "packetsize": word}, "encode", size, 0)
                found = [int(one.get("packetsize")) for one in evaluated(point)]
                self.assertEqual(len(found), 0 if k > 7 and technique == "liberation" else len(found))
                for packetsize in found:
                    self.assertEqual(packetsize % 16, 0)
                    if size >= 128 << 10:
                        self.assertLess(chunk_size(technique, k, size, packetsize), size / k * 1.15, (technique, k, packetsize))
        point = make_point("jerasure", {"technique": "liber8tion", "k": 8, "m": 3, "packetsize": "fit"}, "encode", 4096, 0)
        self.assertEqual(list(evaluated(point)), [])

    def test_a_file_that_cannot_be_used_is_refused_with_its_line_and_key(self):
        for text, key in BAD_FILES:
            with self.assertRaises(Refused) as caught:
                read_experiment([self.file(text)], Language(None))
            message = str(caught.exception)
            self.assertNotIn("\n", message)
            self.assertIn("an experiment.toml", message)
            self.assertIn(key, message)


GOOD = 'points = ["plugin=isa,simd k=6 m=2"]\n'
CHANGE_OF = f'{GOOD}question = "change"\ncandidate = ["plugin"]\n'
PLACE = "an experiment.toml, line 1: "
BAD_FILES = [  # text of a file, and a word of the refusal
    *((f'points = ["plugin=isa"]\naxes = {{ "k+m" = {value} }}', f"line 2: axes has an error: k+m={text} is not allowed; give")
      for value, text in (('"6-3"', "6-3"), ('"6+3+1"', "6+3+1"), ("6", "6"), ('["6+3", 5]', "6+3,5"))),
    ('axes = { codec-lib = ["none", "/x"] }\npoints = ["plugin=isa"]', "codec-lib"),
    *((f"points = {value}", f'{PLACE}points must be a list of texts, such as ["plugin=isa k=6 m=2"], not ')
      for value in ("[]", '"plugin=isa"', "[5]", '[" "]', '[{ plugin = "isa" }]')),
    *((f'points = ["{words}"]', key) for words, key in (
        ("plugin", "points"), ("k=x", "k=x"), ("k=6 k=6", "twice"), ("cache=hot", "cache=hot"), ("packetsiz=3", "packetsize"),
        ("library=a,b plugin=isa 4+2", "library= has several values"), ("plugin=isa codec-lib=/opt/isal 4+2", "codec-lib"),
        ("plugin=isa k=65537 m=2", "1 to 65536"), ("plugin=jerasure w=65 4+2", "1 to 64"),
        ("plugin=jerasure packetsize=2G 4+2", "packetsize=2G"), ("plugin=jerasure packetsize=fits 4+2", "fit?"))),
    *((f"{GOOD}{line}", f"line 2: {key}") for line, key in (
        ("titel = 'x'", "titel is not a key of an experiment; choose title"), ("title = 3", "title must be"),
        ("title = ''", "title"),
        ("question = 'best'", "question"), ("question = 'change'", "question is \"change\", but reference is missing"),
        *((f"rounds = {value}", "rounds") for value in ("0", "2.5", "true", "1001")), ("min_time = 3", "min_time"),
        ("min_time = 'soon'", "min_time"), ("min_time = '100'", "min_time"),
        ("budget = '1000h'", "budget"), ("axes = []", "axes"), ("axes = { k = [] }", "axes"),
        ("axes = { k = [1.5] }", "axes"), ("axes = { sise = [1] }", "axes has an error: sise= is not an axis (did you mean size?)"),
        ("candidate = 'plugin'", "candidate"), ("candidate = ['plugim']", "candidate has an error: plugim= is not an axis"),
        ("reference = { plugin = 'isa' }", "reference needs question"), ("view = 'pie'", "view must be one of bars"),
        ("figure = 'verdict'", "figure"), ("ecbench = './evil.sh'", "ecbench"), ("table = 3", "table"),
        ("table = { cells = ['ratio'] }", "table.rows"), ("table = { rows = ['size'], cells = ['speed'] }", "table.cells"),
        ("table = { rows = ['sise'] }", "table has an error: sise= is not an axis"),
        ("table = { rows = ['size'], profiles = 'simd' }", "table.profiles"), ("table = { rows = ['size'], width = 3 }", "table"),
        ('table = { rows = ["k"], columns = ["plugin", "k"] }', "table must be an object in which no name is in rows and"),
        ("stages = 3", "stages"), ("stages = []", "stages"), ("stages = [{ of = 'plugin' }]", "stages[0].keep"),
        ("stages = [{ keep = 0 }]", "stages[0].keep must be a whole number from 1 to 1000"),
        ("stages = [{ keep = 1, min_time = 3 }]", "stages[0].min_time must be a duration"),
        ("stages = [{ keep = 1, off = 'plugin' }]", "stages[0] must be an object with the keys keep, of, rounds or min_time (did"),
        ("stages = [{ keep = 1, of = 'plugim' }]", "stages has an error: plugim= is not an axis"))),
    *((f"{CHANGE_OF}reference = {{ {reference} }}", f"line 4: reference{why}") for reference, why in (
        ("plugin = 'shec'", " is plugin=shec, but no point has it"), ("", " must be"), ("size = 4096", " must be properties of"))),
    *((f"candidate = ['{candidate}']\npoints = {points}", "needs two") for candidate, points in (
        ("plugin", '["plugin=isa 4+2", "plugin=isa 6+2"]'),
        ("library", '["library=a plugin=isa 4+2", "library=a plugin=simd 4+2"]'))),
    (f"candidate = ['nosuch']\n{GOOD}", "no point has it"),
    *((f"{GOOD}{line}", "p99 is a latency") for line in (
        "figure = 'p99'", "figure = 'p99'\naxes = { pace = ['none', '50%'] }", "table = { rows = ['m'], cells = ['p99'] }")),
    (f"{GOOD}figure = 'p99'\nview = 'bars'", 'line 2: figure is p99, but view = "bars" shows'),
    ("axes = { k = [6], m = [2] }", "points must be a list of texts, such as"), ("", "not missing"),
    ('points = ["k=6"]\ntitle =', "line 2: not TOML: "),
    ("\0", "not TOML"), ("a = 1\na = 2", "not TOML"), ("[" * 2000, "not TOML"), ("x" * (1 << 21), "MiB"),
]


class Expanding(unittest.TestCase):
    def test_words_give_points(self):
        """Words → the points, how many combinations are merged, and why others are dropped."""
        good = "plugin=jerasure technique=cauchy_good workload=encode size=4K"
        for words, texts, merged, dropped in (
                ("plugin=isa technique=cauchy k=4 m=2 size=4K erasures=1,2",
                 ["isa cauchy 4+2 encode of 4 KiB", *(f"isa cauchy 4+2 decode {lost} of 4 KiB" for lost in (1, 2))], 0, {}),
                ("plugin=isa technique=cauchy k=4 m=1,3 size=4K workload=decode erasures=all",
                 [f"isa cauchy 4+{shape} of 4 KiB" for shape in ("1 decode 1", "3 decode 1", "3 decode 2", "3 decode 3")], 0, {}),
                ("plugin=jerasure technique=reed_sol_van,cauchy_good packetsize=64,128 workload=encode size=4K",
                 ["jerasure reed_sol_van 2+2 encode of 4 KiB",
                  *(f"jerasure cauchy_good 2+2 packetsize={size} encode of 4 KiB" for size in (64, 128))], 1, {}),
                (f"{good} w=8,8", ["jerasure cauchy_good 2+2 packetsize=2048 encode of 4 KiB"], 0, {}),
                ("plugin=jerasure technique=liber8tion,cauchy_good k=4 m=2,3,4 workload=encode size=4K packetsize=64",
                 [f"jerasure {code} packetsize=64 encode of 4 KiB" for code in (
                     "liber8tion 4+2", "cauchy_good 4+2", "cauchy_good 4+3", "cauchy_good 4+4")], 0,
                 {"m=3 is not allowed: use 2": 2}),
                (f"{good} k=4 packetsize=64..4096*4 max-padding=25", ["jerasure cauchy_good 4+2 packetsize=64 encode of 4 KiB"], 0,
                 {"the padding is more than max-padding=25 percent of the object": 3}),
                ("technique=cauchy_good workload=encode size=4K",
                 ["jerasure cauchy_good 2+2 packetsize=2048 encode of 4 KiB"], 0, {}),
                ("plugin=isa,jerasure technique=cauchy_good workload=encode size=4K",
                 ["jerasure cauchy_good 2+2 packetsize=2048 encode of 4 KiB"], 0, {"isa has no technique cauchy_good": 1})):
            found = points_of(words)
            self.assertEqual(sorted(str(entry.point) for entry in found.entries), sorted(texts))
            self.assertEqual((found.merged, {reason.why: reason.count for reason in found.dropped}), (merged, dropped))
        self.assertEqual(*(points_of(f"{good} {word}").entries[0].id for word in ("w=8", "k=2")))
        with self.assertRaisesRegex(Refused, "empty.*use 2"):
            points_of("plugin=jerasure technique=liber8tion m=3")

    def test_repair_loses_each_chunk_in_turn_or_the_one_that_is_named(self):
        found = points_of("plugin=isa technique=cauchy k=4 m=2 size=4K workload=repair erased=none,0")
        in_turn, named = (entry.point for entry in found.entries)
        self.assertEqual(f"{in_turn} without chunk 0", str(named))
        self.assertNotIn("erased", in_turn.to_json(), "this key would change the ids of points of older runs")
        self.assertEqual([Point.from_json(point.to_json()) for point in (in_turn, named)], [in_turn, named])
        self.assertIn("--erasures", in_turn.words())
        self.assertEqual((named.words()[-2:], "--erasures" in named.words()), (["--erased", "0"], False))
        self.assertIsNone(make_point("isa", {}, "encode", 4096, 0, erased=0).erased)


class Points(unittest.TestCase):
    def test_the_id_does_not_depend_on_the_order(self):
        one = make_point("isa", {"k": 4, "m": "2"}, "encode", 4096, 2)
        two = make_point("isa", {"m": 2, "k": "4"}, "encode", 4096, 0)
        self.assertEqual((one.id, one.to_json()), (two.id, two.to_json()))
        self.assertEqual(one.id, "87b401dd0276", "an id must never change, because compare finds the points of older runs by it")
        for other in ({"cache": "cold"}, {"threads": 2}, {"timing": "api"}, {"dispatch": "avx2"}, {"stripe_unit": 4096},
                      {"codec_lib": "/opt/isa-l/lib"}):
            self.assertNotEqual(make_point("isa", {"k": 4, "m": 2}, "encode", 4096, 0, **other).id, one.id)

    def test_other_json_is_refused(self):
        own = make_point("isa", {"k": 4, "m": 2}, "decode", 4096, 2, cache="cold", codec_lib="/opt/isal")
        self.assertEqual(Point.from_json(own.to_json()), own)
        directories = ("directory", "erasure-code-directory", "directory=/x", "w=8,directory=/x", "a\nb")
        for wrong in ([], {}, *({**own.to_json(), **more} for more in (
                {"size": "4096"}, {"more": 1}, {"profile": {"k": 4}}, {"erasures": True},
                *({"profile": {"k": "4", key: "/x"}} for key in directories)))):
            with self.assertRaises(ValueError, msg=wrong):
                Point.from_json(wrong)

    def test_words(self):
        point = make_point("isa", {"k": 4, "m": 2, "mapping": ""}, "decode", 4096, 2, stripe_unit=512)
        self.assertEqual(" ".join(point.words()), "--plugin isa --workload decode --size 4096 --erasures 2 --parameter k=4 "
                                                  "--parameter m=2 --stripe-unit 512")
        own = make_point("isa", {"k": 4}, "encode", 4096, 0, codec_lib="/opt/isa-l/lib")
        self.assertEqual(own.words()[-2:], ["--codec-lib", "/opt/isa-l/lib"])
        self.assertTrue(str(own).endswith("codec-lib=/opt/isa-l/lib"), own)
