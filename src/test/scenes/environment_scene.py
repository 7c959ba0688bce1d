"""ecbench --environment, which names no host and no user, and --strict on a machine that is unfit for measurements."""

import getpass
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess

import scene

ANY_CPU = str(min(os.sched_getaffinity(0)))


def environment(*args, **kwargs):
    result = scene.ecbench("--environment", *args, **kwargs)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return json.loads(result.stdout), result


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)


class Environment(scene.Scene):
    def test_is_one_json_object_and_each_reason_is_also_on_stderr(self):
        document, result = environment("-p", "isa")
        self.assertEqual(len(result.stdout.splitlines()), 1)
        self.assertEqual(result.stderr.splitlines(), [f"ecbench: {reason}" for reason in document["unfit"]])
        for key in ("argv", "date_utc", "ecbench", "cpu", "system", "cgroup", "shared_objects", "unfit"):
            self.assertIn(key, document)
        self.assertRegex(document["date_utc"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(document["argv"][1:], ["--environment", "-p", "isa"])
        self.assertRegex(document["kernels"]["isa"], r"^ec_encode_data|dispatched")
        if pathlib.Path("/sys/devices/system/cpu/online").exists():  # some chroots lack this file
            self.assertEqual(document["cpu"]["online_cpu_count"], os.sysconf("SC_NPROCESSORS_ONLN"))
        self.assertEqual(document["system"]["kernel_release"], os.uname().release)

    def test_describes_the_build(self):
        build = environment()[0]["ecbench"]
        version = scene.ecbench("--version").stdout
        self.assertEqual(version.splitlines()[0], f"ecbench {build['version']}")
        self.assertIn(build["compiler"], version)
        self.assertIn(build["build_type"], version)
        git = scene.run(["git", "-C", scene.SOURCE, "rev-parse", "--show-toplevel"])
        in_git = git.returncode == 0 and pathlib.Path(git.stdout.strip()).resolve() == scene.SOURCE.resolve()
        self.assertRegex(build["git_revision"], r"^[0-9a-f]{40}(-dirty)?$" if in_git else "^unknown$")

    def test_names_the_plugin_and_its_library(self):
        objects = {each["name"]: each for each in environment("-p", "isa")[0]["shared_objects"]}
        sanitizers = {name for name in objects if re.match(r"lib(a|ub)san\.", name)}
        self.assertEqual(set(objects) - sanitizers, {"libec_isa.so", "libisal.so.2"})
        isal = objects["libisal.so.2"]
        self.assertRegex(isal["build_id"], r"^[0-9a-f]{40}$")
        path = os.path.expanduser(isal["path"])
        self.assertEqual(isal["build_id"], build_id(path))
        self.assertEqual(isal["version"], os.path.basename(path).split(".so.")[1])
        self.assertEqual(objects["libec_isa.so"]["build_id"], build_id(scene.PLUGINS / "libec_isa.so"))

    def test_without_a_plugin_names_the_libraries_of_all_plugins(self):
        names = {each["name"] for each in environment()[0]["shared_objects"]}
        self.assertLessEqual({"libec_example.so", "libec_isa.so", "libec_jerasure.so", "libisal.so.2", "libJerasure.so.2",
                              "libgf_complete.so.1"}, names)

    def test_only_the_given_plugin_must_be_loadable(self):
        shutil.copy(scene.PLUGINS / "libec_isa.so", self.folder)
        (self.folder / "libec_broken.so").write_text("no plugin")
        document, result = environment("--erasure-code-dir", self.folder)
        self.assertIn("libec_isa.so", {each["name"] for each in document["shared_objects"]})
        self.assertIn("libec_broken.so", result.stderr)
        self.assert_refused(scene.ecbench("--environment", "--erasure-code-dir", self.folder, "-p", "broken"), "libec_broken.so")

    def test_the_process_is_pinned_first(self):
        result = scene.run(["taskset", "-c", ANY_CPU, scene.ECBENCH, "--environment", "-p", "isa"])
        document = json.loads(result.stdout)
        self.assertEqual(document["system"]["allowed_cpus"], ANY_CPU)
        self.assertNotIn("may move", result.stderr)

    def test_no_host_no_user_and_no_home(self):
        home = self.folder / "home of mallory"
        plugins = home / "plugins"
        plugins.mkdir(parents=True)
        shutil.copy(scene.PLUGINS / "libec_isa.so", plugins)
        host, user = socket.gethostname(), getpass.getuser()
        changes = {"HOME": home, "USER": "mallory"}
        document, result = environment("-p", "isa", "--erasure-code-dir", plugins, "--input", f"/data/{host}/mallory.dat",
                                       "--chunks-out", f"/home/{user}/chunks", env=changes)
        text = result.stdout
        self.assertIn("~/plugins", document["argv"])
        self.assertIn("/data/HOST/USER.dat", document["argv"])
        self.assertIn("~/chunks", document["argv"])
        self.assertEqual([each["path"] for each in document["shared_objects"] if each["name"] == "libec_isa.so"],
                         ["~/plugins/libec_isa.so"])
        for private in ("mallory", str(home), f"/{host}", f"/{user}/", os.path.expanduser("~") + "/"):
            self.assertNotIn(private, text)

    def test_strict_agrees_with_unfit(self):
        """A thread that is not pinned is refused on every machine with several CPUs, whatever its state."""
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU: a thread cannot move")
        result = scene.ecbench("--strict", "-p", "isa", "-i", "1", "-s", "4K")
        self.assert_refused(result, "--strict", "1 thread may move", "taskset")
        self.assert_refused(scene.ecbench("--strict", "--environment", "-p", "isa"), "1 thread may move")
