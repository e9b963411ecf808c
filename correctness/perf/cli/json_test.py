"""--json: every command that prints a table has it, and prints the same figures, as one JSON document on
standard output; all else goes to standard error."""

import json
import pathlib
import re
import subprocess
import unittest

import endings_test

RATCHET = endings_test.RATCHET
ROOT = pathlib.Path(__file__).resolve().parents[3]
BASELINES = str(ROOT / "baselines")

# What prints no table, and why.
NO_TABLE = {
    "bisect": "sentences; bisect.json has the figures",
    "completions": "a script",
    "reproduce": "lines; `tables` prints what it measured",
    "profile": "a command",
    "run": "what the programs of the families print",
}


class Json(unittest.TestCase):
    setUp, program = endings_test.Endings.setUp, endings_test.Endings.program

    def json_of(self, *words, codes=(0,)):
        done = subprocess.run([RATCHET, *words, "--json"], cwd=self.folder, env=self.environment, capture_output=True,
                              text=True, timeout=300)
        self.assertIn(done.returncode, codes, done.stdout + done.stderr)
        self.text = done.stderr
        return json.loads(done.stdout)

    def gate(self, *words, codes=(0,)):
        return self.json_of("gate", "--bench", "./bench", "--history", "none", *words, codes=codes)

    def test_every_command_that_prints_a_table_has_it(self):
        shown = subprocess.run([RATCHET, "--help"], capture_output=True, text=True, check=True).stdout
        for command in re.findall(r"^  ([a-z]+) ", shown, re.M):
            usage = subprocess.run([RATCHET, command, "--help"], capture_output=True, text=True, check=True).stdout
            self.assertEqual(command in NO_TABLE, "--json" not in usage, command)

    def test_gate_and_accept(self):
        first = self.gate()
        self.assertEqual(first["rows"]["bench/a"]["verdict"], "uncompared")
        self.assertEqual(first["run"]["exit_code"], 0)
        self.assertIn("accept", first["run"]["commands"])
        self.assertIn("NOTHING DECIDED (exit 0)", self.text)
        kept = json.loads((self.folder / "results/gate.json").read_text())["context"]["ratchet"]
        for row in first["rows"].values():  # 1000 ns a call
            self.assertAlmostEqual(row.pop("throughput"), 1e6, delta=1e3)
        self.assertEqual(first["rows"], kept["rows"])
        accepted = self.json_of("accept", "--allow-unverified", "--yes", "--reason", "first")
        self.assertTrue(accepted["written"])
        rows = accepted["files"][0]["rows"]
        self.assertEqual([row["row"] for row in rows], ["bench/a", "bench/b"])
        self.assertIsNone(rows[0]["before"])
        self.assertAlmostEqual(rows[0]["after"]["units_per_second"], 1e6, delta=1e3)
        self.assertIn("accepted: first", self.text)
        again = self.json_of("accept", "--allow-unverified", "--yes", "--reason", "again")
        self.assertEqual((again["written"], again["files"]), (False, []))

    def test_an_error_leaves_no_document(self):
        done = subprocess.run([RATCHET, "gate", "--bench", "./nosuch", "--json"], cwd=self.folder, text=True,
                              env=self.environment, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nosuch", done.stderr)

    def test_a_regression_has_its_exit_code_and_ratio(self):
        self.gate()
        self.json_of("accept", "--allow-unverified", "--yes", "--reason", "first")
        self.program((self.folder / "bench").read_text().replace("NS = 1000", "NS = 2000"))
        slower = self.gate("--stored", codes=(1,))
        self.assertEqual(slower["run"]["exit_code"], 1)
        self.assertAlmostEqual(slower["rows"]["bench/a"]["ratio"], 0.5, delta=0.01)
        self.assertIn("REGRESSION (exit 1)", self.text)

    def test_compare_report_and_selftest(self):
        self.gate()
        compared = self.json_of("compare", "results/gate.json", "results/gate.json")
        self.assertEqual(compared["rows"]["bench/a"]["verdict"], "same")
        self.assertAlmostEqual(compared["rows"]["bench/a"]["throughput"], 1e6, delta=1e3)
        self.assertIn("2 same", self.text)
        run = self.json_of("compare", "--exec", "./bench", "--exec", "bench")
        self.assertEqual(run["rows"]["a"]["verdict"], "same")
        report = self.json_of("report", "results/gate.json")
        self.assertEqual([row["row"] for row in report["rows"]], ["bench/a", "bench/b"])
        self.assertAlmostEqual(report["rows"][0]["call_s"], 1e-6, delta=1e-8)
        self.assertEqual(report["failed"], {})
        rates = self.json_of("selftest", "--bench", "./bench", "--runs", "2", "--slowdowns", "0.5",
                             "--slowed-runs", "2", "--run-budget-s", "1", "--neighbour", "0")
        self.assertEqual(rates["same_against_same"][0]["runs_slower"]["of"], 2)
        self.assertEqual(rates["slowed"][0]["slowdown"], 0.5)
        self.assertEqual(rates["unknown"] + len(rates["detectable"]), 2)
        self.assertIn("report: ", self.text)

    def test_a_merged_run(self):
        self.gate()
        self.json_of("accept", "--allow-unverified", "--yes", "--reason", "first")
        nodes = ["node1", "node2", "node3"]
        for node in nodes:
            self.gate("--results", node, "--stored", "--by-time")
        merged = self.json_of("gate", "--history", "none", "--merge", *nodes)
        self.assertEqual(merged["exit_code"], 0)
        self.assertEqual([node["name"] for node in merged["nodes"]], nodes)
        self.assertAlmostEqual(merged["rows"]["bench/a"]["throughput"], 1e6, delta=1e3)
        self.assertIn("FLEET: 3 of 3 nodes", self.text)

    def test_metrics(self):
        stage = "graveler/cpu/12_aes_weyl"
        metrics = self.json_of("metrics", "--cpu", stage, "--baseline-dir", BASELINES, codes=(0, 1, 2, 3, 77))
        for basis in metrics["bases"]:  # none without valgrind
            self.assertEqual(basis["basis"]["kind"], "cpu instructions")
            self.assertEqual([found["stage"] for found in basis["findings"]], [stage])
            self.assertGreater(basis["findings"][0]["figures"]["executed_instructions"], 1e5)

    def test_tables_hold_numbers(self):
        words = ["tables", "life", "--baseline-dir", BASELINES]
        tables = self.json_of(*words)["tables"]
        printed = subprocess.run([RATCHET, *words], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed.count("\n| --- |") + printed.count("\n|---|"), len(tables))
        figures = 0
        for table in tables:
            for row in table["rows"]:
                self.assertEqual(len(row), len(table["columns"]))
                for cell in row:
                    self.assertIn(cell["text"], printed.replace("\\|", "|"))
                    figures += len(cell["figures"])
        self.assertGreater(figures, 100)
        texts = {cell["text"]: cell["figures"] for table in tables for row in table["rows"] for cell in row}
        for text, found in texts.items():
            if match := re.fullmatch(r"([0-9.]+) (ms|s)", text):
                self.assertEqual(found, [{"value": float(match[1]), "unit": match[2]}])
            if match := re.fullmatch(r"([0-9.]+)×10(?:⁹|\^9)", text):
                self.assertAlmostEqual(found[0]["value"], float(match[1]) * 1e9, delta=1e6)
        self.assertTrue(any(text.endswith("×10⁹") for text in texts), "large numbers, too")


VALIDATE = ROOT / "correctness/perf/gate/data/outputs/validate.py"
PYTHON = "/usr/bin/python3"  # Debian's, which sees Debian's jsonschema


@unittest.skipUnless(subprocess.run([PYTHON, "-c", "import jsonschema"], capture_output=True).returncode == 0,
                     "jsonschema is missing (package python3-jsonschema)")
class Schemas(unittest.TestCase):
    """What real runs leave has the form that perf/output/schemas promises, and no key that is not described there."""
    setUp, program, git, make_history, start, run_to_end = (getattr(endings_test.Endings, name) for name in (
        "setUp", "program", "git", "make_history", "start", "run_to_end"))
    json_of, gate = Json.json_of, Json.gate

    def complaint(self, schema, document, *options):
        file = self.folder / "document.json"
        file.write_text(json.dumps(document))
        words = [PYTHON, VALIDATE, *options, ROOT / f"perf/output/schemas/{schema}.schema.json", file]
        return subprocess.run(words, capture_output=True, text=True).stderr

    def assert_valid(self, schema, document):
        self.assertEqual(self.complaint(schema, document, "--closed"), "")

    def left(self, name="results/gate.json"):
        return json.loads((self.folder / name).read_text())

    def test_of_stored_figures(self):
        self.gate()
        self.assert_valid("gate", self.left())
        self.json_of("accept", "--allow-unverified", "--yes", "--reason", "first")
        self.json_of("accept", "bench/a", "--tolerance", "0.02", "--yes", "--reason", "its input is random")
        self.json_of("accept", "--limit", "bench/a<1ms", "--yes", "--reason", "a limit")
        self.program((self.folder / "bench").read_text().replace("NS = 1000", "NS = 2000"))
        self.gate("--stored", codes=(1,))
        run = self.left()
        self.assertEqual(run["context"]["ratchet"]["rows"]["bench/a"]["limits"][0]["state"], "kept")
        self.assert_valid("gate", run)
        baseline = next(self.folder.glob("baselines/*/bench.json"))
        self.assert_valid("baseline", self.left(baseline))
        self.json_of("compare", baseline, "results/gate.json", "--results", "files", codes=(1,))
        self.assert_valid("gate", self.left("files/compare.json"))

    def test_of_two_revisions_and_the_history(self):
        self.make_history()
        self.git("commit", "-qm", "nothing", "--allow-empty")
        for _ in range(2):
            code, out, err = self.run_to_end("gate", "--base", "HEAD~2", "--bench", "bench", "--build-cmd", "true",
                                             "--budget-s", "60")
            self.assertEqual(code, 1, out + err)
        run = self.left()
        self.assertEqual([step["purpose"] for step in run["context"]["ratchet"]["run"]["next"]], ["bisect"])
        self.assertIn("base", run["context"]["ratchet"]["run"]["commits"])
        self.assert_valid("gate", run)
        self.assert_valid("history", self.json_of("history"))
        series = self.json_of("history", "bench/a")
        self.assertEqual(len(series[0]["points"]), 2)
        self.assert_valid("history", series)

    def test_stored_baselines_are_valid(self):
        for file in sorted((ROOT / "baselines/amd-epyc-2c").glob("*.json")):
            self.assert_valid("baseline", json.loads(file.read_text()))

    def test_what_breaks_the_promise_is_refused(self):
        self.gate()
        document = self.left()
        row = document["context"]["ratchet"]["rows"]["bench/a"]
        row["colour"] = "red"
        self.assertEqual(self.complaint("gate", document), "", "a reader ignores what it does not know")
        self.assertIn("'colour' was unexpected", self.complaint("gate", document, "--closed"))
        row["verdict"] = "slow"
        self.assertIn("'slow' is not one of", self.complaint("gate", document))
        del document["context"]["ratchet"]["run"]["exit_code"]
        row["verdict"] = "same"
        self.assertIn("'exit_code' is a required property", self.complaint("gate", document))


if __name__ == "__main__":
    unittest.main()
