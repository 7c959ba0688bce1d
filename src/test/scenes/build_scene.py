"""scripts/build.sh says in a line why a build directory cannot be used."""

import scene


class BuildDirectory(scene.Scene):
    def build(self, directory):
        return scene.run([scene.SOURCE / "scripts" / "build.sh", directory, "product"])

    def test_one_that_was_copied_or_made_for_another_tree_is_refused(self):
        copied = self.folder / "copied"
        copied.mkdir()
        cache = "CMAKE_HOME_DIRECTORY:INTERNAL={}\nCMAKE_CACHEFILE_DIR:INTERNAL={}\n"
        for source, build in ((scene.SOURCE, "/elsewhere/build"), ("/elsewhere", copied)):
            with self.subTest(source=source, build=build):
                (copied / "CMakeCache.txt").write_text(cache.format(source, build))
                self.assert_refused(self.build(copied), str(copied), "/elsewhere", "BUILD=")

    def test_one_that_cannot_be_made_is_refused(self):
        (self.folder / "file").write_text("")
        self.assert_refused(self.build(self.folder / "file" / "build"), "cannot be made", "BUILD=")


if __name__ == "__main__":
    scene.main()
