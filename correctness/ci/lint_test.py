"""All Python and all shell scripts of the repository are clean under ruff (pyproject.toml) and shellcheck."""
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
RUFF = shutil.which(CACHE / "ratchet/lint-tools/bin/ruff") or shutil.which("ruff")  # ci/setup fills the folder
SHELLCHECK = shutil.which("shellcheck")
SHELL = re.compile(rb"#!\S*[/ ](ba|da)?sh\b")


def tracked():
    """Without a repository, as where sources were copied, what lies where sources do."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True,
                            text=True)
    if listed.returncode == 0:
        files = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        files = [*ROOT.glob("*"), *(file for folder in ("ci", "correctness", "kernels", "perf", "reference")
                                    for file in (ROOT / folder).rglob("*"))]
    return [file for file in files if file.is_file() and not file.is_symlink()]


def scripts():
    found = []
    for file in tracked():
        with file.open("rb") as content:
            if SHELL.match(content.read(100)):
                found.append(file)
    return found


class Lint(unittest.TestCase):
    def complaints(self, *command):
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    @unittest.skipUnless(RUFF, "ruff is not installed; run ci/setup")
    def test_python(self):
        files = [file for file in tracked() if file.suffix == ".py"]
        self.assertGreater(len(files), 20)
        done = self.complaints(RUFF, "check", "--no-cache", "--output-format=concise", *files)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(RUFF, "ruff is not installed; run ci/setup")
    def test_ruff_finds_what_the_configuration_asks_for(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wrong.py"
            file.write_text("import sys\nimport os\nx = dict(zip([1], [2]))\n")
            done = self.complaints(RUFF, "check", "--no-cache", "--config", ROOT / "pyproject.toml",
                                   "--output-format=concise", file)
        for rule in ("F401", "I001", "B905"):
            self.assertIn(rule, done.stdout)

    @unittest.skipUnless(SHELLCHECK, "shellcheck is not installed; run ci/setup")
    def test_shell(self):
        found = scripts()
        self.assertIn(ROOT / "ci/gate", found)
        done = self.complaints(SHELLCHECK, "--format=gcc", *found)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_python_file_says_so(self):
        """One without the suffix would pass unseen."""
        for file in tracked():
            with file.open("rb") as content:
                if re.match(rb"#!.*python", content.read(100)):
                    self.assertEqual(file.suffix, ".py", file)


if __name__ == "__main__":
    if not RUFF and not SHELLCHECK:
        print("ruff and shellcheck are not installed; run ci/setup")
        sys.exit(77)
    unittest.main()
