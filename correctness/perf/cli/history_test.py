"""What other programs make of the history, and it of theirs: prometheus_client's two strict readers take what
--openmetrics prints, and what asv itself wrote is imported."""
import os
import pathlib
import subprocess
import sys
import unittest

import endings_test

PYTHON = "/usr/bin/python3"  # Debian's, which sees Debian's prometheus_client
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
ASV = CACHE / "ratchet/asv-tools"  # ci/setup fills it
READ = """import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus
text = sys.stdin.read()
for read in (openmetrics, prometheus):
    for family in read(text):
        for sample in family.samples:
            print(family.type, sample.name, sample.labels["row"], sample.labels.get("verdict", ""), float(sample.value))
"""
SUITE = """class Suite:
    params = [1, 2]
    def time_sum(self, n): sum(range(1000 * n))
def track_errors(): return 3
track_errors.unit = "errors"
"""
CONFIGURATION = """{"version": 1, "project": "theirs", "project_url": "x", "repo": ".", "branches": ["HEAD"],
"benchmark_dir": "b", "environment_type": "existing", "results_dir": "results", "html_dir": "html", "env_dir": "e"}"""


class History(unittest.TestCase):
    setUp, program, git, start, run_to_end = (
        getattr(endings_test.Endings, name) for name in ("setUp", "program", "git", "start", "run_to_end"))

    def passes(self, *words):
        code, out, err = self.run_to_end(*words)
        self.assertEqual(code, 0, out + err)
        return out + err

    @unittest.skipIf(subprocess.run([PYTHON, "-c", "import prometheus_client"], capture_output=True).returncode,
                     "prometheus_client is missing (package python3-prometheus-client)")
    def test_prometheus_reads_the_last_runs(self):
        self.passes("gate", "--bench", "./bench", "--budget-s", "1")
        text = self.passes("history", "--openmetrics")
        done = subprocess.run([PYTHON, "-c", READ], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        read = done.stdout.splitlines()
        self.assertEqual(len(read), 16)  # four gauges, two rows, two readers
        self.assertEqual(read[:8], read[8:])
        self.assertIn("gauge ratchet_row_verdict bench/a uncompared 1.0", read)
        self.assertRegex(read[0], r"^gauge ratchet_row_value bench/a  1000000\.0$")
        code, out, err = self.run_to_end("history", "bench/a", "--openmetrics")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("ROWS has no effect with --openmetrics", err)

    @unittest.skipUnless((ASV / "asv").is_dir(), "asv is not installed; run ci/setup")
    def test_results_that_asv_wrote_are_imported(self):
        (self.folder / "b").mkdir()
        (self.folder / "b/__init__.py").touch()
        (self.folder / "b/suite.py").write_text(SUITE)
        (self.folder / "asv.conf.json").write_text(CONFIGURATION)
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "one")
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.folder, capture_output=True, text=True,
                                check=True).stdout.strip()
        environment = self.environment | {"PYTHONPATH": str(ASV), "HOME": str(self.folder)}
        for words in (["machine", "--yes"], ["run", "--python=same", "--quick", "--set-commit-hash", commit]):
            done = subprocess.run([sys.executable, "-m", "asv", *words], cwd=self.folder, env=environment,
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files = [str(file) for file in self.folder.glob("results/*/*.json")]
        said = self.passes("history", "--import", *files)
        self.assertIn("imported 3 rows of 1 run", said)
        self.assertIn("machine.json: left out: it describes a machine", said)
        self.assertIn("1 run was there already", self.passes("history", "--import", *files))
        shown = self.passes("history")
        for row in ("asv/suite.Suite.time_sum(1)", "asv/suite.Suite.time_sum(2)", "asv/suite.track_errors"):
            self.assertIn(row, shown)
        self.assertIn(commit[:12], self.passes("history", "asv/suite.track_errors"))


if __name__ == "__main__":
    unittest.main()
