"""foreign-programs of ci/lab: the table is that of the record, what a command must say, and what is refused."""
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci"))
from lab import demonstration, foreign_programs  # noqa: E402


def foreign_programs_of(*words):
    return subprocess.run([sys.executable, ROOT / "ci/lab", "foreign-programs", *map(str, words)], capture_output=True,
                          text=True)


class Table(unittest.TestCase):
    def test_is_that_of_the_record(self):
        done = foreign_programs_of("check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_has_lines_of_demonstrations(self):
        record = foreign_programs.read_record(foreign_programs.RECORD)
        names = [line["name"] for line in record]
        self.assertEqual(names, [name for name in foreign_programs.DEMONSTRATIONS if name in names])
        self.assertGreaterEqual(len(names), 5)
        for line in record:
            self.assertGreaterEqual(len(line["steps"]), 3, line["name"])
            self.assertEqual(line["steps"][0]["exit"], 0, line["name"])


class Says(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        said = folder / "said"
        said.write_text("#!/bin/sh\necho 'slower   a  -5.0 %  -7 ... -3 %'\n"
                        f"echo '           and why: {folder}/x'\nexit 1\n")
        said.chmod(0o755)
        self.shown = demonstration.Demonstration(types.SimpleNamespace(ratchet=said, work=folder), "a", "b", "c",
                                                 folder)

    def test_a_line_with_the_reason_below_it(self):
        self.shown.says("slowed", ["compare"], 1, "^slower")
        step = self.shown.line["steps"][0]
        self.assertEqual(step["said"], "slower a -5.0 % -7 ... -3 % and why: x")
        self.assertEqual(foreign_programs.said(step), "1: slower, -5.0 %")

    def test_another_exit_code_or_text_ends_the_experiment(self):
        for code, pattern in ((0, "slower"), (1, "faster")):
            with self.assertRaisesRegex(demonstration.Said, "a, slowed: exit 1 instead of"):
                self.shown.says("slowed", ["compare"], code, pattern)


class Refused(unittest.TestCase):
    def test_in_one_line(self):
        for words, expected in ((["run", "hope"], "nothing is named hope"),
                                (["table", "--record", "/nowhere/record.jsonl"], "has no results")):
            done = foreign_programs_of(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
