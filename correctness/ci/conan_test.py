"""`conan create` of the recipe (ci/conan): the package is built of the system's libraries alone, and the example
repository builds against it, checks its stages and starts the program. Minutes: a label "long"."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
TOOLS = CACHE / "ratchet/package-tools"  # ci/setup fills it
if not (TOOLS / "conans").is_dir() or not shutil.which("apt-get"):
    print("conan is not installed, or no Debian packages; run ci/setup")
    sys.exit(77)


class Conan(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = dict(os.environ, PYTHONPATH=str(TOOLS), CONAN_HOME=folder.name)
        self.environment["PATH"] = f"{TOOLS / 'bin'}:{os.environ['PATH']}"
        self.conan("profile", "detect")
        self.conan("remote", "disable", "*")  # the recipe needs none

    def conan(self, *words):
        done = subprocess.run([sys.executable, "-m", "conans.conan", *words], cwd=ROOT, env=self.environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-3000:])
        return done.stdout + done.stderr

    def test_create(self):
        version = re.search(r"project\(ratchet VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        said = self.conan("create", "ci/conan", "-s", "compiler.cppstd=20", "-c",
                          "tools.cmake.cmake_layout:test_folder=$TMP")  # not among the sources
        self.assertIn(f"ratchet/{version}", said)
        self.assertEqual(said.count('"passed":true'), 2, said[-3000:])
        self.assertRegex(said, rf"\nratchet {re.escape(version)} \(")


if __name__ == "__main__":
    unittest.main()
