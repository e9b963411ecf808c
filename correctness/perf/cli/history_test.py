"""What other programs make of the history, and it of theirs: prometheus_client's two strict readers take what
--openmetrics prints, a webhook gets one alert a slowdown, and what asv itself wrote is imported."""
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import unittest

import endings_test

ALERT = pathlib.Path(__file__).resolve().parents[3] / "ci/alert.py"

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

    def webhook(self, *answers, left=0):
        """Runs ci/alert.py against a server that gives these answers: its exit code, what it said, what arrived."""
        answers, arrived = list(answers), []

        class Server(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                code, *headers = answers.pop(0)
                arrived.append(json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "0"))
                self.send_response(code)
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()

            do_GET = do_POST  # a redirect that is followed

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = subprocess.run([sys.executable, ALERT, "--ratchet", endings_test.RATCHET], cwd=self.folder, text=True,
                              env=self.environment | {"RATCHET_WEBHOOK": f"http://127.0.0.1:{server.server_port}/key"},
                              capture_output=True)
        server.shutdown()
        server.server_close()
        self.assertEqual(len(answers), left, done.stderr)
        return done.returncode, done.stderr, arrived

    def gate_of(self, ns, code):
        self.program(endings_test.PROGRAM.replace("NS = 1000", f"NS = {ns}"))
        got, out, err = self.run_to_end("gate", "--bench", "./bench", "--budget-s", "60", "a$")
        self.assertEqual(got, code, out + err)

    def test_a_webhook_gets_one_alert_a_slowdown(self):
        self.gate_of(1000, 0)
        self.passes("accept", "--yes", "--allow-unverified", "--leave-unfit", "--reason", "the start")
        self.assertEqual(self.webhook(), (0, "", []))
        self.gate_of(100000, 1)
        code, said, arrived = self.webhook((404,))  # what no second try mends
        self.assertEqual((code, len(arrived)), (2, 1))
        self.assertIn("not delivered: 127.0.0.1 answered 404 Not Found; it is sent again with the next call", said)
        self.assertNotIn("/key", said)
        code, said, arrived = self.webhook((302, ("Location", "/elsewhere")), (200,), left=1)
        self.assertEqual((code, len(arrived)), (2, 1))
        code, said, arrived = self.webhook((503,), (429, ("Retry-After", "0")), (200,))
        self.assertEqual((code, len(arrived)), (0, 3))
        self.assertIn("127.0.0.1 answered 503 Service Unavailable; again in 1 s", said)
        self.assertIn("answered 429 Too Many Requests; again in 0 s", said)
        self.assertIn("ratchet: 1 row became slower\nbench/a: slower, -99.00 % on ", arrived[2]["text"])
        self.assertEqual([each["row"] for each in arrived[2]["slower"]], ["bench/a"])
        self.gate_of(100000, 1)
        self.assertEqual(self.webhook(), (0, "", []))  # the same slowdown
        self.gate_of(1000, 0)
        self.assertEqual(self.webhook(), (0, "", []))
        self.gate_of(100000, 1)
        code, said, arrived = self.webhook((200,))
        self.assertEqual((code, len(arrived)), (0, 1), said)  # another one

    def test_an_alert_says_what_it_lacks(self):
        for words, message in ((["file:///etc/passwd"], "begins with https:// or http://"),
                               (["http://127.0.0.1:1", "--ratchet", "./none"], "name the program by --ratchet"),
                               (["http://127.0.0.1:1", "--ratchet", endings_test.RATCHET], "there is no history")):
            done = subprocess.run([sys.executable, ALERT, *words], cwd=self.folder, env=self.environment, text=True,
                                  capture_output=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        (self.folder / "results").mkdir()
        (self.folder / "results/alerts.json").write_text("[")
        self.gate_of(1000, 0)
        code, said, _ = self.webhook()
        self.assertEqual(code, 2)
        self.assertIn("results/alerts.json is not a list of alerts; remove it", said)

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
