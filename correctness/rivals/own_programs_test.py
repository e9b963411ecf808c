"""rivals of ci/lab on recordings whose verdicts are known: each tool that is installed (from pip: in the PATH, or the
folder RIVALS_TOOLS; hyperfine's welch_ttest.py: the file RIVALS_WELCH) calls half again as much time slower and
identical times not, an answer that lacks a comparison is an error, and the tables are those of the record."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "correctness/support"))
from built import BUILD, ROOT  # noqa: E402

PROGRAM = [ROOT / "ci/lab", "rivals"]
CRITERION = BUILD / "rivals-criterion"  # ninety seconds to build: only where somebody did
ABSENT = ["is not installed", "No such file", "ModuleNotFoundError", "No module named", "no packages found",
          "No package metadata"]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "ci"))
from lab import rivals_adapters as adapters  # noqa: E402


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


class Tables(unittest.TestCase):
    def test_are_those_of_the_record(self):
        done = rivals("check")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
