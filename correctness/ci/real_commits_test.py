"""real-commits of ci/lab: the table is that of the record, what it counts, what is planted, and what is refused."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci"))
from lab import real_commits, sources  # noqa: E402


def real_commits_of(*words):
    return subprocess.run([sys.executable, ROOT / "ci/lab", "real-commits", *map(str, words)], capture_output=True,
                          text=True)


def line(differ, named, **kinds):
    return {"library": "snappy", "rows": 10, "objects_differ": differ, "seconds": 4.0,
            "named": {row: [verdict, 0.9] for row, verdict in named.items()}, **kinds}


class Table(unittest.TestCase):
    def test_is_that_of_the_record(self):
        done = real_commits_of("check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_verdict_on_equal_objects_is_false(self):
        planted = line(1, {"a": "slower"})
        cells = real_commits.table([
            line(0, {"a": "slower"}, identical=9, slower=1),
            line(2, {"a": "slower", "b": "faster"}, identical=5, slower=1, faster=1, undecided=3),
            {**planted, "planted": "2 %"},
            {**planted, "planted": "5 %", "slower": 10},
            {"library": "snappy", "not_built": True}]).splitlines()[2].split(" | ")
        self.assertEqual(cells[1:], ["2", "1", "14/20", "5/10", "0", "1", "2", "3", "1", "4", "0/10", "10/10 |"])


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)

    def test_one_call_in_twenty_works_twice(self):
        (self.tree / "sum.c").write_text("#include <stdio.h>\nstatic int calls_made;\nint sum(int a, int b) {\n"
                                         "  ++calls_made;\n  return a + b;\n}\nint main() {\n  int all = 0;\n"
                                         "  for (int i = 0; i < 100; ++i) all = sum(all, 1);\n"
                                         "  printf(\"%d %d\", all, calls_made);\n}\n")
        real_commits.repeated("sum.c", "int", "sum", "int a, int b", "a, b")(self.tree, 20)
        subprocess.run(["gcc", "-O2", "sum.c", "-o", "sum"], cwd=self.tree, check=True)
        self.assertEqual(subprocess.run(["./sum"], cwd=self.tree, capture_output=True, text=True).stdout, "100 105")

    def test_a_function_that_is_gone_is_named(self):
        (self.tree / "sum.c").write_text("int add(int a, int b) { return a + b; }\n")
        with self.assertRaisesRegex(sources.Misfit, "sum.c contains 0 times.*int sum"):
            real_commits.repeated("sum.c", "int", "sum", "int a, int b", "a, b")(self.tree, 20)


class Refused(unittest.TestCase):
    def test_in_one_line(self):
        for words, expected in ((["run", "hope"], "no library is named hope"),
                                (["table", "--record", "/nowhere/record.jsonl"], "has no results")):
            done = real_commits_of(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
