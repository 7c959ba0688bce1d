"""bench.sh gate ab builds git revisions in one tree, and the clone stays as it is. The repository contains the scripts, and a
CMakeLists.txt that creates links to the programs of the real build."""

import json
import shlex
import shutil
import sys
import unittest

import scene

GRID = ["--grid", "plugin=isa technique=reed_sol_van k=4 m=2 size=4K workload=encode", "--launches", "3", "--pairs", "2",
        "--threshold", "90"]
LISTS = """cmake_minimum_required(VERSION 3.25)
project(stand_in LANGUAGES NONE)
{first}
add_custom_target(ecbench ALL COMMAND ${{CMAKE_COMMAND}} -E create_symlink "{build}/ecbench" "${{CMAKE_BINARY_DIR}}/ecbench")
add_custom_target(ec_isa COMMAND ${{CMAKE_COMMAND}} -E create_symlink "{build}/plugins" "${{CMAKE_BINARY_DIR}}/plugins")
add_custom_target(product DEPENDS ecbench ec_isa)
"""
IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Revisions(scene.Scene):
    def setUp(self):
        super().setUp()
        self.tree = self.folder / "tree"
        scene.copy_scripts(self.tree)

    def git(self, *words):
        done = self.succeeded(scene.run(["git", *IDENTITY, "-C", self.tree, *words], env={"GIT_DIR": None, "GIT_WORK_TREE": None}))
        return done.stdout

    def commit(self, first=""):
        """Commits a revision whose CMakeLists.txt contains the line `first`, and returns the hash of the commit."""
        (self.tree / "CMakeLists.txt").write_text(LISTS.format(first=first, build=scene.BUILD.absolute()))
        (self.tree / "src" / "plugins" / "isa").mkdir(parents=True, exist_ok=True)
        (self.tree / "src" / "plugins" / "isa" / "CMakeLists.txt").touch()
        if not (self.tree / ".git").exists():
            self.git("init", "--quiet")
        self.git("add", "CMakeLists.txt", "src", "scripts/build.sh", "scripts/build.py", "scripts/ecbench")
        self.git("commit", "--quiet", "-m", "a revision")
        return self.git("rev-parse", "HEAD").strip()

    def command(self, *words):
        return [str(word) for word in (sys.executable, "-E", "-s", self.tree / "scripts" / "mode.py", "gate", "ab", *words)]

    def gate(self, *words, env=None):
        return scene.run(self.command(*words), env={"JOBS": "1", **(env or {})}, cwd=self.tree)

    def built(self):
        return sorted(path.name for path in (self.tree / "build-gate").iterdir() if path.is_dir() and path.name != "tree")

    def assert_clone_is_as_before(self):
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        self.assertEqual(self.git("diff", "HEAD", "--name-only"), "")

    def test_a_revision_is_built_once_and_the_clone_stays_as_it_is(self):
        first = self.commit()
        second = self.commit("# changed")
        self.git("tag", "-a", "-m", "a tag", "v1", first)
        result = self.succeeded(self.gate("v1", "HEAD", *GRID, "--format", "json"))
        outcome = json.loads(result.stdout)
        self.assertEqual([outcome[side]["revision"] for side in ("old", "new")], [first, second])
        self.assertEqual(result.stderr.count("building"), 2)
        self.assertEqual(len(self.built()), 2)
        self.assert_clone_is_as_before()
        again = self.gate(first, second[:10], *GRID, env={"GIT_DIR": "/nonexistent"})
        self.assertEqual((again.returncode, again.stderr.count("building")), (0, 0), again.stderr)

    def test_only_files_that_differ_are_written(self):
        """Else ninja would compile them again."""
        self.commit()
        self.commit("# changed")
        self.assertEqual(self.gate("HEAD~1", scene.BUILD, *GRID).returncode, 0)
        files = [self.tree / "build-gate/tree/source" / name for name in ("CMakeLists.txt", "scripts/build.py")]
        before = [path.stat().st_mtime_ns for path in files]
        self.assertEqual(self.gate("HEAD", scene.BUILD, *GRID).returncode, 0)
        self.assertEqual([path.stat().st_mtime_ns != old for path, old in zip(files, before, strict=True)], [True, False])
        self.assertIn("# changed", files[0].read_text())

    def test_it_is_configured_like_the_build_folder(self):
        self.commit()
        like = self.side("like", scene.ECBENCH)
        (like / "CMakeCache.txt").write_text("CMAKE_BUILD_TYPE:STRING=Debug\nCMAKE_CXX_FLAGS:STRING=-O1 -g\n")
        self.assertEqual(self.gate("HEAD", like, *GRID).returncode, 0)
        cache = (self.tree / "build-gate" / self.built()[0] / "build" / "CMakeCache.txt").read_text()
        self.assertRegex(cache, "CMAKE_BUILD_TYPE:[A-Z]+=Debug\n")
        self.assertRegex(cache, "CMAKE_CXX_FLAGS:[A-Z]+=-O1 -g\n")
        self.assertEqual(self.gate("HEAD", scene.PLUGINS, *GRID).returncode, 0)
        self.assertEqual(len(self.built()), 2)

    def test_a_folder_has_precedence_over_a_revision_of_the_same_name(self):
        self.commit()
        self.git("branch", "other")
        (self.tree / "other").mkdir()
        self.assert_refused(self.gate("HEAD", "other", *GRID), "NEW other is a directory", "takes precedence over a git revision")
        for name in ("ecbench", "plugins"):
            (self.tree / "other" / name).symlink_to(scene.BUILD.absolute() / name)
        for given, kind in (("other", "build"), ("heads/other", "revision")):
            self.assertFalse((self.tree / "build-gate").exists())
            result = self.gate(given, "other", *GRID, "--format", "json")
            self.assertEqual(json.loads(result.stdout)["old"]["kind"], kind, result.stderr)

    def test_unknown_revisions_are_refused(self):
        self.assert_refused(self.gate("main", "HEAD", *GRID), "OLD main is neither", "not a git repository")
        self.git("init", "--quiet")
        self.assert_refused(self.gate("main", "HEAD", *GRID), "OLD main is neither a directory nor a git revision")
        self.commit()
        self.assert_refused(self.gate("HEAD", "nosuch", *GRID), "NEW nosuch")
        self.assert_refused(self.gate(*GRID, "--", "HEAD", "-x"), "NEW -x is neither a directory nor a git revision")
        self.assertFalse((self.tree / "build-gate").exists())  # nothing is built before both revisions are checked

    def test_a_clone_without_history_or_of_another_owner_is_refused(self):
        for number in range(3):
            self.commit(f"# changed {number}")
        deep = self.folder / ("deep " + "x" * 200)
        deep.mkdir()
        for depth, revision, said in ((1, "HEAD~1", "fetch-depth: 0"), (2, "HEAD~2", "git fetch --unshallow")):
            shallow = deep / f"{depth} {revision}"
            self.succeeded(scene.run(["git", "clone", "--quiet", f"--depth={depth}", f"file://{self.tree}", shallow]))
            scene.copy_scripts(shallow)
            command = [shallow / "scripts/mode.py" if str(word).endswith("mode.py") else word for word in
                       self.command(revision, scene.BUILD, *GRID)]
            self.assert_refused(scene.run(command), f"OLD {revision} is neither", "a shallow clone", said)
        other = scene.run(command, {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
        self.assert_refused(other, "dubious ownership")
        self.assertRegex(other.stderr, f"git config --global --add safe.directory .*{revision}'?\n$")

    def test_a_revision_that_does_not_build(self):
        self.commit('message(FATAL_ERROR "no compiler is available")')
        result = self.gate("HEAD", scene.BUILD, *GRID)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("OLD HEAD cannot be built", result.stderr.splitlines()[-1])
        log = next((self.tree / "build-gate").glob("*.log"))
        self.assertIn(str(log), result.stderr)
        self.assertIn("no compiler is available", log.read_text())
        self.assertEqual(self.built(), [])
        self.assert_clone_is_as_before()

    def test_a_build_that_is_interrupted_leaves_nothing(self):
        mark = self.folder / "mark"
        sleep = f'file(TOUCH "{mark}")\nexecute_process(COMMAND sleep 600 {shlex.quote(str(self.folder))})'
        self.commit(sleep)
        result = scene.interrupt(self.command("HEAD", scene.BUILD, *GRID), mark.exists, cwd=self.tree)
        self.assertEqual(result.returncode, 130, result.stderr)
        self.assertEqual(self.built(), [])
        self.assert_clone_is_as_before()
        self.assert_nothing_runs()
