"""Real files and output of benchmark tools of other languages, each skipped where its tool is missing."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "correctness/support"))
from built import BUILD, ROOT, need  # noqa: E402

need("perf/ratchet")
RATCHET = str(BUILD / "perf/ratchet")
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
PYTHON_TOOLS = CACHE / "ratchet/bench-tools"  # ci/setup fills it

GO = """package sums

import "testing"

func BenchmarkSum(b *testing.B) {
	b.Run("n=10", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			for j := 0; j < 1000; j++ {
			}
		}
		b.ReportMetric(3, "moves/op")
	})
}
"""
PYTEST = """import pytest


@pytest.mark.parametrize("n", [10, 1000])
def test_sort(benchmark, n):
    benchmark(sorted, range(n, 0, -1))
"""


PROGRAM = """#include <stdlib.h>
int main(int count, char **words) {
  volatile long sum = 0;
  for (long i = 0; i < atol(words[1]) * %d; ++i) sum += i;
  free(count > 1 ? malloc(100) : 0);
  return 0;
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(mine C)
add_executable(my_program my_program.c)
"""


CATCH2 = """<?xml version="1.0" encoding="UTF-8"?>
<Catch name="my_tests">
  <Group name="my_tests">
    <TestCase name="sums" filename="sums.cpp" line="5">
      <BenchmarkResults name="sum of 1000" samples="10" resamples="100000" iterations="84" clockResolution="122.882">
        <!--All values in nano seconds-->
        <mean value="286.211" lowerBound="286.211" upperBound="286.211" ci="0"/>
        <standardDeviation value="0" lowerBound="0" upperBound="0" ci="0"/>
      </BenchmarkResults>
      <OverallResult success="true"/>
    </TestCase>
  </Group>
</Catch>
"""


class Page(unittest.TestCase):
    def test_each_form_that_is_read_has_its_line(self):
        """What is a launch, what a sample, and what cannot be known."""
        table = (ROOT / "perf/gate/baseline/sampled_json.cpp").read_text().split("libraries[] = ")[1]
        forms = re.findall(r'\{"([^"]+)", "n?s", ', table)
        self.assertGreaterEqual(len(forms), 5, "the table of sampled_json.cpp has another form")
        page = (ROOT / "perf/guide/any_command.md").read_text()
        for form in [*forms, "Google Benchmark", "nvbench", "criterion", "Go"]:
            line = re.search(rf"^\| \[?{re.escape(form)}\b.*", page, re.M)
            self.assertIsNotNone(line, form)
            tool, file, launch, sample, *_ = (cell.strip() for cell in line[0].strip("|").split(" | "))
            self.assertTrue(all((tool, file, launch, sample)), line[0])


class OtherTools(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_in(self, *command, **environment):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def ratchet(self, *words, code=0):
        done = subprocess.run([RATCHET, *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def rows_of_gate(self, command):
        """The rows that the gate finds in the output of a command, with their units."""
        (self.folder / "baselines").mkdir(exist_ok=True)
        self.ratchet("gate", "--exec", command, "--name", "x", "--launches", "2")
        rows = json.loads((self.folder / "results/gate.json").read_text())["context"]["ratchet"]["rows"]
        return {name: row["unit"] for name, row in rows.items()}

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed (ci/setup)")
    def test_the_counts_of_the_page(self):
        """The script and the command are those that perf/guide/any_command.md prints."""
        page = (ROOT / "perf/guide/any_command.md").read_text()
        blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
        (self.folder / "counts.sh").write_text(next(block for block in blocks if "callgrind" in block))
        command = next(block for block in blocks if "counts.sh" in block).replace("my_program input", "my_program 500")
        (self.folder / "CMakeLists.txt").write_text(PROJECT)
        (self.folder / "my_program.c").write_text(PROGRAM % 1000)
        (self.folder / ".gitignore").write_text("build/\nresults/\n")
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@x"]
        self.run_in(*git, "init", "-q", "-b", "main")
        self.run_in(*git, "add", ".")
        self.run_in(*git, "commit", "-q", "-m", "counts")
        (self.folder / "my_program.c").write_text(PROGRAM % 1003)  # 3 in a thousand more
        self.run_in("sh", "-c", "cmake -B build && cmake --build build")
        words = shlex.split(command)
        shown = self.ratchet(*words[1:], code=1)
        rows = json.loads((self.folder / "results/gate.json").read_text())["context"]["ratchet"]["rows"]
        self.assertEqual({name.removeprefix("counts.sh/"): row["verdict"] for name, row in rows.items()},
                         {"instructions": "slower", "allocations": "same", "size": "same"}, shown)
        self.assertAlmostEqual(rows["counts.sh/instructions"]["ratio"], 1 / 1.003, delta=0.0005)

    @unittest.skipUnless(shutil.which("hyperfine"), "hyperfine is not installed (ci/setup)")
    def test_hyperfine(self):
        measure = "hyperfine -N -r {} -P t 1 2 --export-json {} 'sleep 0.00{{t}}' > /dev/null"
        self.run_in("sh", "-c", measure.format(6, "a.json") + ";" + measure.format(8, "b.json"))
        wide = ("--tolerance", "0.9999")  # however busy the machine is
        shown = self.ratchet("compare", "a.json", "b.json", *wide)
        self.assertIn("A: 6 launches a row, 1 file.", shown)
        self.assertIn("B: 8 launches a row, 1 file.", shown)
        self.assertIn("sleep 0.002", shown)
        shown = self.ratchet("compare", "a.json,b.json", "b.json", *wide)
        self.assertIn("A: 14 launches a row, 2 files.", shown)
        self.assertEqual(self.rows_of_gate("cat a.json"), {"x/sleep 0.001": "s (smaller is better)",
                                                           "x/sleep 0.002": "s (smaller is better)"})
        self.run_in("sh", "-c", "hyperfine -N -i -r 2 --export-json c.json false > /dev/null 2>&1")
        self.assertIn("that process 1 of 2 ended with exit code 1", self.ratchet("compare", "c.json", "c.json", code=2))

    @unittest.skipUnless((PYTHON_TOOLS / "pytest_benchmark").exists(), "pytest-benchmark is missing (ci/setup)")
    def test_pytest_benchmark(self):
        (self.folder / "test_sums.py").write_text(PYTEST)
        for name in ("a/1", "a/2", "b/1", "b/2"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            self.run_in(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--benchmark-max-time=0.01",
                        f"--benchmark-json={name}.json", "test_sums.py", PYTHONPATH=str(PYTHON_TOOLS),
                        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTEST_PLUGINS="pytest_benchmark.plugin")
        shown = self.ratchet("compare", "a", "a")
        self.assertIn("A: 2 launches a row, 2 files.", shown)
        self.assertIn("Throughput is 1/real_time (2 rows).", shown)
        for n in (10, 1000):
            self.assertIn(f"test_sums.py::test_sort[{n}]", shown)
        self.assertEqual(set(self.rows_of_gate("cat a/1.json").values()), {"ns (smaller is better)"})

    @unittest.skipUnless((PYTHON_TOOLS / "pyperf").exists(), "pyperf is missing (ci/setup)")
    def test_pyperf(self):
        for name, processes in (("a", 2), ("b", 3)):
            self.run_in(sys.executable, "-m", "pyperf", "timeit", "-q", "-p", str(processes), "-n", "3", "-l", "100",
                        "-w", "1", "--name", "sum", "-o", f"{name}.json", "sum(range(100))",
                        PYTHONPATH=str(PYTHON_TOOLS))
        shown = self.ratchet("compare", "a.json", "b.json", "--tolerance", "0.9999")
        self.assertIn("A: 2 launches a row, 1 file.", shown)
        self.assertIn("B: 3 launches a row, 1 file.", shown)
        self.assertIn("Throughput is 1/real_time (1 row).", shown)
        self.assertEqual(self.rows_of_gate("cat a.json"), {"x/sum": "ns (smaller is better)"})

    @unittest.skipUnless(shutil.which("jq"), "jq is not installed (package jq)")
    def test_tools_that_state_one_figure(self):
        """The lines of perf/guide/any_command.md, on what folly::Benchmark and Catch2 2.13.10 print."""
        page = (ROOT / "perf/guide/any_command.md").read_text()
        block = re.search(r"```sh\n# folly(.*?)```", page, re.DOTALL)[0].strip("`")[2:]
        (self.folder / "folly.json").write_text('{"Sort": 2500000.0, "Sort(10)": 1000.0}')
        (self.folder / "catch.xml").write_text(CATCH2)
        script = block.replace("./my_bench --json", "cat folly.json").replace("./my_tests -r xml", "cat catch.xml")
        (self.folder / "figures.sh").write_text(script)
        figures = [json.loads(line) for line in self.run_in("sh", "figures.sh").splitlines()]
        self.assertEqual(figures, [{"name": name, "value": value, "unit": "ns"} for name, value in
                                   (("Sort", 2500), ("Sort(10)", 1), ("sum of 1000", 286.211))])
        self.assertEqual(self.rows_of_gate("sh figures.sh"), {f"x/{figure['name']}": "ns (smaller is better)"
                                                              for figure in figures})

    @unittest.skipUnless(shutil.which("go"), "go is not installed (package golang-go)")
    def test_go(self):
        (self.folder / "sums").mkdir()
        (self.folder / "sums/go.mod").write_text("module example.org/sums\n\ngo 1.19\n")
        (self.folder / "sums/sums_test.go").write_text(GO)
        bench = "cd sums && go test -run '^$' -bench . -benchtime 2000x -count {} {} > ../{}"
        for command in (bench.format(2, "", "a.txt"), bench.format(2, "", "again.txt"),
                        bench.format(3, "-json", "b.json")):
            self.run_in("sh", "-c", command, GOFLAGS="-mod=mod", GOCACHE=str(self.folder / "cache"))
        shown = self.ratchet("compare", "a.txt", "b.json")
        self.assertIn("example.org/sums.BenchmarkSum/n=10", shown)
        self.assertIn("A: 1 launch a row, 1 file.", shown)
        self.assertIn("Not judged: B/op, allocs/op, moves/op;", shown)
        shown = self.ratchet("compare", "a.txt", "a.txt", "--repetitions-are-launches")
        self.assertIn("A: 2 launches a row", shown)
        # Runs after each other in one file, as benchstat takes them, are processes.
        self.run_in("sh", "-c", "cat a.txt again.txt > both.txt")
        self.assertIn("A: 2 launches a row, 1 file.", self.ratchet("compare", "both.txt", "both.txt"))
        rows = self.rows_of_gate("cat a.txt")
        self.assertEqual(list(rows.values()), ["ns (smaller is better)"])


if __name__ == "__main__":
    unittest.main()
