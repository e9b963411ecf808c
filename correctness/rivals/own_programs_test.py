"""rivals of ci/lab on recordings whose verdicts are known: each tool that is installed (from pip: in the PATH, or the
folder RIVALS_TOOLS; hyperfine's welch_ttest.py: the file RIVALS_WELCH) calls half again as much time slower and
identical times not, an answer that lacks a comparison is an error, and the tables are those of the record."""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "correctness/support"))
from built import BUILD, ROOT  # noqa: E402

PROGRAM = [ROOT / "ci/lab", "rivals"]
CRITERION = BUILD / "rivals-criterion"  # ninety seconds to build: only where somebody did
ABSENT = ["is not installed", "No such file", "ModuleNotFoundError", "No module named", "no packages found",
          "No package metadata"]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "ci"))
from lab import rivals_adapters as adapters  # noqa: E402
from lab import rivals_pairs as pairs  # noqa: E402


def rivals(*words):
    return subprocess.run([sys.executable, *PROGRAM, *map(str, words)], capture_output=True, text=True)


def recording(path):
    """Two rows of 12 blocks, launches 0.3 % apart; A and B alike to the last digit."""
    draw = random.Random(1)
    lines = []
    for row, seconds in (("short", 0.001), ("long", 0.5)):
        for block in range(12):
            level = seconds * (1 + 0.003 * draw.random())
            samples = [level * (1 + 0.001 * draw.random()) for _ in range(12)]
            lines += [{"row": row, "side": side, "block": block, "samples": samples} for side in "AB"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


class OwnPrograms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        recording(self.folder / "recording.jsonl")

    def verdicts(self, tool, comparisons):
        record = self.folder / "record.jsonl"
        tools = os.environ.get("RIVALS_TOOLS")
        done = rivals("run", tool, "--recording", self.folder / "recording.jsonl", "--record", record,
                      "--injected", "0.5", "--ratchet", BUILD / "perf/ratchet", "--cargo-home", CRITERION,
                      *(["--tools", tools] if tools else []),
                      *(["--welch", os.environ["RIVALS_WELCH"]] if "RIVALS_WELCH" in os.environ else []))
        if done.returncode == 2 and any(words in done.stderr for words in ABSENT):
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        line = json.loads(record.read_text())
        self.assertEqual(line["as_recorded"]["slower"], 0, line)
        self.assertEqual(line["injected"]["slower"], line["injected"]["of"], line)
        if comparisons:
            self.assertEqual([line[key]["of"] for key in ("as_recorded", "injected")], [comparisons] * 2)
        self.assertEqual(line["injected_share"], 0.5)
        return line

    def test_ratchet_pairs(self):
        line = self.verdicts("ratchet-pairs", None)
        self.assertGreaterEqual(line["injected"]["of"], 2)
        self.assertGreater(line["launches_a_side"][0], 1)

    def test_ratchet_files(self):
        line = self.verdicts("ratchet-files", 2)
        self.assertEqual(line["launches_a_side"], [12, 12])
        # Two sides of 12 launches of 12 samples, as recorded; half of them of 1 ms, half of 0.5 s.
        self.assertAlmostEqual(line["seconds"], 2 * 12 * 12 * 0.2505, delta=0.5)

    def test_compare_py(self):
        line = self.verdicts("compare.py", 24)
        self.assertAlmostEqual(line["seconds"], 2 * 9 * 0.2505, delta=0.05)  # nine repetitions of the twelve

    def test_nvbench(self):
        self.verdicts("nvbench", 24)

    def test_nvbench_robust(self):
        self.verdicts("nvbench-robust", 24)

    def test_hyperfine(self):
        line = self.verdicts("hyperfine", 2)
        self.assertEqual(line["launches_a_side"], [10, 10])

    def test_asv(self):
        self.verdicts("asv", 12)

    def test_pytest_benchmark(self):
        self.verdicts("pytest-min", 24)

    @unittest.skipUnless((CRITERION / "target/release/replay").exists(),
                         "criterion's program is not built: python3 ci/lab rivals run criterion")
    def test_criterion(self):
        self.verdicts("criterion", 24)

    def test_what_is_missing_is_one_line(self):
        words = ["--recording", self.folder / "recording.jsonl", "--record", self.folder / "record.jsonl"]
        for more, expected in ((["compare.py", "--compare-py", "/nowhere/compare.py"], "/nowhere/compare.py"),
                               (["asv", "--tools", self.folder], "not installed"), (["hope"], "unknown tool: hope")):
            done = rivals("run", *more, *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Answers(unittest.TestCase):
    def test_a_comparison_without_a_verdict_is_an_error(self):
        cut = {"one": ([[1]], [[1]]), "two": ([[1]], [[1]])}
        self.assertEqual(adapters.marked(cut, {"one": "+", "two": ""}, lambda word: word == "+"),
                         {"one": "slower", "two": ""})
        with self.assertRaisesRegex(adapters.Missing, "1 of 2 comparisons"):
            adapters.marked(cut, {"one": "+"}, bool)

    def test_blocks_are_cut_into_whole_comparisons(self):
        rows = {"x": [([i, i, i], [-i, -i, -i]) for i in range(5)]}
        self.assertEqual(adapters.comparisons(rows, 2, 1), {"row0_block000": ([[0], [1]], [[0], [-1]]),
                                                            "row0_block002": ([[2], [3]], [[-2], [-3]])})


# Answers for hyperfine: the times of a command are its contents, and more.
HYPERFINE = """#!/usr/bin/python3
import json, pathlib, sys
(out,) = [sys.argv[i + 1] for i, word in enumerate(sys.argv) if word == "--export-json"]
levels = [float(pathlib.Path(file).read_text()) for file in sys.argv[-2:]]
results = [{"command": str(level), "times": [level + 1e-4 * (i * 7 % 9) for i in range(30)]} for level in levels]
pathlib.Path(out).write_text(json.dumps({"results": results}))
"""


class RealPairs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        welch = os.environ.get("RIVALS_WELCH")
        self.options = argparse.Namespace(work=self.folder, tools=self.folder, welch=welch and pathlib.Path(welch),
                                          compare_py=pathlib.Path("/usr/share/benchmark/compare.py"))
        if not self.options.compare_py.exists():
            self.skipTest("Google Benchmark's compare.py is not installed")

    def pair(self, before, after):
        trees = []
        for side, level in (("a", before), ("b", after)):
            trees.append(self.folder / side)
            # compare.py takes the results of a program in its place.
            (trees[-1] / "build").mkdir(parents=True, exist_ok=True)
            (trees[-1] / "build/snappy_benchmark").write_text(
                adapters.google_benchmark({"Row": [level * (1 + 1e-4 * (i * 7 % 9)) for i in range(9)]}))
            (trees[-1] / "build/fixed_work").write_text(str(level))
        return pairs.Pair("snappy", "2 %", *trees)

    def test_compare_py_by_its_test_and_the_median(self):
        for after, wanted in ((1.0, "same"), (1.02, "slower"), (0.98, "faster")):
            verdict, times = pairs.compare_py(self.pair(1.0, after), self.options)
            self.assertEqual(verdict, wanted)
            self.assertAlmostEqual(times, after, places=3)

    def test_hyperfine_by_its_test_and_the_mean(self):
        if not self.options.welch:
            self.skipTest("hyperfine's welch_ttest.py: name it in RIVALS_WELCH")
        (self.folder / "hyperfine").write_text(HYPERFINE)
        (self.folder / "hyperfine").chmod(0o755)
        for after, wanted in ((1.0, "same"), (1.02, "slower"), (0.98, "faster")):
            verdict, times = pairs.hyperfine(self.pair(1.0, after), self.options)
            self.assertEqual(verdict, wanted)
            self.assertAlmostEqual(times, after, places=3)

    def test_a_comparison_is_repeated_if_the_process_was_stopped(self):
        stopped, calls = pairs.Stopped(), []

        def judge(pair, options):
            calls.append(pair)
            if len(calls) == 1:
                signal.raise_signal(signal.SIGCONT)
            return "same", 1.0
        with mock.patch.dict(pairs.TOOLS, {"ratchet": pairs.Tool("", judge, None)}):
            self.assertEqual(pairs.judged(None, "ratchet", stopped, None)["verdict"], "same")
        self.assertEqual(len(calls), 2)

    def test_the_table_counts_by_pair(self):
        record = [{"tool": "compare.py", "pair": pair, "verdict": verdict, "seconds": 3} for pair, verdict in (
            (pairs.MOVED, "faster"), (pairs.MOVED, "slower"), (pairs.MOVED, "same"), (pairs.OTHER, "undecided"),
            (pairs.OTHER, "slower"), ("2 %", "slower"), ("2 %", "faster"), ("5 %", "same"))]
        line = pairs.table(record).splitlines()[-1]
        self.assertIn("| 2 of 3 | 1 of 2, undecided 1 | 1 of 2 | 0 of 1 | 3 |", line)


class Tables(unittest.TestCase):
    def test_are_those_of_the_record(self):
        done = rivals("check")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
