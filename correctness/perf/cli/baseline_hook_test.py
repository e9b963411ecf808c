"""The hook for other repositories (.pre-commit-hooks.yaml), run by pre-commit itself: it takes baselines as `ratchet
accept` leaves them, and refuses broken ones by name."""
import os
import pathlib
import subprocess
import sys
import unittest

import endings_test

ROOT = pathlib.Path(__file__).resolve().parents[3]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
TOOLS = CACHE / "ratchet/package-tools"  # ci/setup fills it
if not (TOOLS / "pre_commit").is_dir():
    print("pre-commit is not installed; run ci/setup")
    sys.exit(77)


class Hook(unittest.TestCase):
    setUp, program, git, start, run_to_end = (
        getattr(endings_test.Endings, name) for name in ("setUp", "program", "git", "start", "run_to_end"))

    def pre_commit(self, *words):
        path = f"{os.path.dirname(endings_test.RATCHET)}:{os.environ['PATH']}"
        environment = self.environment | {"PYTHONPATH": str(TOOLS), "PATH": path,
                                          "PRE_COMMIT_HOME": str(self.folder / "hooks")}
        return subprocess.run([sys.executable, "-m", "pre_commit", *words], cwd=self.folder, env=environment,
                              capture_output=True, text=True)

    def test_pre_commit_takes_the_file(self):
        done = self.pre_commit("validate-manifest", HOOKS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_broken_baselines_are_named(self):
        code, out, err = self.run_to_end("gate", "--bench", "./bench", "--budget-s", "1")
        self.assertEqual(code, 0, out + err)
        code, out, err = self.run_to_end("accept", "--allow-unverified", "--yes", "--reason", "first")
        self.assertEqual(code, 0, out + err)
        # As the manifest says, but with the program of this build in place of one that pip builds.
        hook = HOOKS.read_text().replace("language: python", "language: system")
        lines = [line for line in hook.splitlines() if not line.startswith("#")]
        (self.folder / "config.yaml").write_text("repos:\n- repo: local\n  hooks:\n" +
                                                 "".join(f"  {line}\n" for line in lines))
        self.git("init", "-q")
        self.git("add", "baselines")

        def run():
            self.git("add", "-A", "baselines")
            return self.pre_commit("run", "--config", "config.yaml", "--all-files")

        done = run()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Passed", done.stdout)
        good = next(self.folder.glob("baselines/*/bench.json"))
        text = good.read_text()
        elsewhere = self.folder / "baselines/elsewhere"  # of another machine, the same rows
        elsewhere.mkdir()
        (elsewhere / "bench.json").write_text(text)
        self.assertEqual(run().returncode, 0)
        broken = {"cut.json": text[:len(text) // 2], "conflict.json": "<<<<<<< HEAD\n" + text,
                  "twice.json": text.replace('"iterations":', '"iterations":1,"iterations":', 1)}
        for name, wrong in broken.items():
            self.assertNotEqual(wrong, text)
            (elsewhere / name).write_text(wrong)
        done = run()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for name in broken:
            self.assertIn(f"baselines/elsewhere/{name}", done.stdout)
        self.assertNotIn("bench.json", done.stdout)


if __name__ == "__main__":
    unittest.main()
