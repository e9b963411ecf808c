"""Rows of a third-party program that a change does not reach are identical work, and are not timed: a CMake project
of two benchmarks, through `ratchet gate --base HEAD`."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "correctness/support"))
from built import BUILD, need  # noqa: E402

need("perf/ratchet")

PROJECT = {
    ".gitignore": "build/\nresults/\n",
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.20)
project(sums CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_BUILD_TYPE Release)
find_package(benchmark REQUIRED)
add_executable(sums rows.cpp work.cpp)
target_link_libraries(sums benchmark::benchmark)
""",
    "work.cpp": "long halved(long x) { return x / 2; }\nlong doubled(long x) { return x * 2; }\n",
    "rows.cpp": """
#include <benchmark/benchmark.h>
long halved(long), doubled(long);
void Halved(benchmark::State& state) {
  for (auto _ : state)
    for (int i = 0; i < 16; ++i) benchmark::DoNotOptimize(halved(state.iterations()));  // over 1 ns on any CPU
}
template <class T> void Doubled(benchmark::State& state) {
  for (auto _ : state)
    for (int i = 0; i < 16; ++i) benchmark::DoNotOptimize(doubled(T(state.range(0))));
}
BENCHMARK(Halved);
BENCHMARK(Doubled<int>)->Arg(8);
BENCHMARK_MAIN();
""",
}

LYING = """
#include <cstdio>
#include <string>
double times[4];
template <int row> void Lying(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime(times[row] / 1000);
}
int main(int count, char** words) {
  const std::string program = words[0];
  std::FILE* file = std::fopen((program.substr(0, program.rfind('/')) + "/layouts").c_str(), "r");
  for (double& each : times) if (std::fscanf(file, "%lf", &each) != 1) return 1;
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
}
"""


class IdenticalRows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """One project for all tests: what they edit they put back, and HEAD is built once as the base of all."""
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", RATCHET_HISTORY="none")
        for name, text in PROJECT.items():
            (cls.folder / name).write_text(text)
        for words in (["git", "init", "-q"], ["git", "add", "."],
                      ["git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "sums"],
                      ["cmake", "-S", ".", "-B", "build"]):
            subprocess.run(words, cwd=cls.folder, env=cls.environment, capture_output=True, timeout=600, check=True)

    def run_here(self, *words, codes=(0,)):
        done = subprocess.run(words, cwd=self.folder, env=self.environment, text=True, capture_output=True, timeout=600)
        self.assertIn(done.returncode, codes, " ".join(words) + "\n" + done.stdout + done.stderr)
        return done.stdout + done.stderr

    def rows_after(self, file, old, new):
        return self.rows_with({file: (old, new)})

    def rows_with(self, edits):
        """What the gate says of each row of the program with these edits, beside HEAD: whether it was timed, and all
        that it printed."""
        before = {}
        for file, (old, new) in edits.items():
            path = self.folder / file
            before[path] = path.read_text() if path.exists() else ""
            self.assertIn(old, before[path])
            path.write_text(before[path].replace(old, new))
        self.run_here("cmake", "--build", "build")
        printed = self.run_here(str(BUILD / "perf/ratchet"), "gate", "--bench", "build/sums", "--base", "HEAD",
                                "--budget-s", "1", codes=(0, 1))
        for path, text in before.items():
            path.write_text(text)
        rows = json.loads((self.folder / "results/gate.json").read_text())["context"]["ratchet"]["rows"]
        return {name: row.get("identical_work", False) for name, row in rows.items()}, printed

    def test_the_row_that_reaches_a_change_is_timed(self):
        same, printed = self.rows_after("work.cpp", "x / 2", "x / 3")
        self.assertEqual(same, {"sums/Halved": False, "sums/Doubled<int>/8": True}, printed)
        same, printed = self.rows_after("work.cpp", "x * 2", "x * 5")
        self.assertEqual(same, {"sums/Halved": True, "sums/Doubled<int>/8": False}, printed)

    def test_a_program_that_is_older_than_its_source_is_named_beside_the_verdict(self):
        self.run_here("cmake", "--build", "build")
        gate = (str(BUILD / "perf/ratchet"), "gate", "--bench", "build/sums", "--budget-s", "1")
        said = "build/sums is older than work.cpp: what is measured is not what the sources say; build it first"
        self.assertNotIn("older than", self.run_here(*gate, "--base", "HEAD", codes=(0, 1)))
        (self.folder / "work.cpp").touch()
        for against in (["--base", "HEAD"], ["--stored"], ["--base", "HEAD", "--quiet"]):
            printed = self.run_here(*gate, *against, codes=(0, 1))
            self.assertEqual(printed.count(said + "\n"), 2, printed)
            self.assertIn("(exit ", printed.split(said + "\n")[1].splitlines()[0], "the next line is the verdict")
            self.assertIn(said, (self.folder / "results/summary.md").read_text())
            note = json.loads((self.folder / "results/gate.json").read_text())["context"]["ratchet"]["run"]["note"]
            self.assertIn(said, note)

    def test_a_copied_build_folder_is_named_and_not_called_older(self):
        self.run_here("cmake", "--build", "build")
        shutil.copytree(self.folder / "build", self.folder / "results/copy", dirs_exist_ok=True)
        self.addCleanup(shutil.rmtree, self.folder / "results/copy")
        (self.folder / "work.cpp").touch()
        printed = self.run_here(str(BUILD / "perf/ratchet"), "gate", "--bench", "results/copy/sums", "--budget-s", "1",
                                "--stored", codes=(0, 1))
        self.assertIn(f"was made for the build folder {self.folder.resolve()}/build: the folder was copied", printed)
        self.assertNotIn("older than work.cpp", printed)

    def test_what_is_added_leaves_the_rows_there(self):
        same, printed = self.rows_after("rows.cpp", "BENCHMARK_MAIN", """
long more(long x) { return x * x - 5; }
void More(benchmark::State& state) { for (auto _ : state) benchmark::DoNotOptimize(more(3)); }
BENCHMARK(More);
BENCHMARK_MAIN""")
        self.assertEqual(same, {"sums/Halved": True, "sums/Doubled<int>/8": True, "sums/More": False}, printed)

    def test_compare_of_two_copies_judges_no_row_by_time(self):
        self.run_here("cmake", "--build", "build")
        shutil.copy(self.folder / "build/sums", self.folder / "build/copy")
        printed = self.run_here(str(BUILD / "perf/ratchet"), "compare", "--exec", "build/sums", "--exec", "build/copy",
                                "--budget-s", "1")
        judged = json.loads((self.folder / "results/compare/gate.json").read_text())["context"]["ratchet"]["rows"]
        for name in ("Halved", "Doubled<int>/8"):
            self.assertTrue(judged[name].get("identical_work"), printed)
            self.assertEqual(judged[name]["verdict"], "same", printed)
        self.assertNotIn("of them overhead", printed, "nothing was to be timed")

    def test_no_row_is_timed_for_edits_that_only_move_code(self):
        """All at once: none makes a difference if all together make none."""
        same, printed = self.rows_with({
            # Other objects, in another order, and their functions in sections of their own.
            "CMakeLists.txt": ("rows.cpp work.cpp)",
                               "more.cpp work.cpp rows.cpp)\nadd_compile_options(-ffunction-sections)"),
            # A comment, dead code before hot code, another name of a variable, functions in another order.
            "work.cpp": (PROJECT["work.cpp"], """// Work.
#include "more.h"
long dead(long x) { return x * x * x - 7; }
long doubled(long value) { return value * 2; }
long halved(long value) { return value / 2; }
"""),
            # A header, its function in a file of its own, a benchmark between the others.
            "more.h": ("", "#pragma once\nlong more(long x);\ninline long less(long x) { return x - 1; }\n"),
            "more.cpp": ("", '#include "more.h"\nlong more(long x) { return less(x) * 3; }\n'),
            "rows.cpp": ("BENCHMARK(Halved);", """BENCHMARK(Halved);
#include "more.h"
static void More(benchmark::State& state) { for (auto _ : state) benchmark::DoNotOptimize(more(3)); }
BENCHMARK(More);""")})
        self.assertEqual(same, {"sums/Halved": True, "sums/Doubled<int>/8": True, "sums/More": False}, printed)

    def test_what_every_row_reaches_moves_all(self):
        same, printed = self.rows_after("CMakeLists.txt", "Release)", "Release)\nadd_compile_options(-fno-inline -O1)")
        self.assertEqual(same, {"sums/Halved": False, "sums/Doubled<int>/8": False}, printed)

    def test_an_option_of_the_linker_moves_all(self):
        options = "-Wl,--wrap=_Z6halvedl -Wl,--defsym=__wrap__Z6halvedl=_Z7doubledl"
        same, printed = self.rows_after("CMakeLists.txt", "benchmark::benchmark)", f"benchmark::benchmark {options})")
        self.assertEqual(same, {"sums/Halved": False, "sums/Doubled<int>/8": False}, printed)

    def test_a_row_that_lies_elsewhere_than_its_baseline_says_so(self):
        """Rows that take the time in a file next to the program, which is no part of what they execute."""
        def edit(file, text):
            self.addCleanup((self.folder / file).write_text, PROJECT.get(file, ""))
            (self.folder / file).write_text(text)

        edit("layouts", "1 1 1 1")
        edit("CMakeLists.txt", PROJECT["CMakeLists.txt"] + "configure_file(layouts layouts COPYONLY)\n")
        rows = "".join(f"BENCHMARK(Lying<{row}>)->UseManualTime();\n" for row in range(4))
        edit("rows.cpp", PROJECT["rows.cpp"].replace("BENCHMARK_MAIN();", LYING + rows))
        self.run_here("git", "add", ".")
        self.run_here("git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "rows that lie somewhere")
        self.addCleanup(self.run_here, "git", "reset", "-q", "HEAD~1")
        self.run_here("cmake", "--build", "build")
        ratchet = str(BUILD / "perf/ratchet")
        (self.folder / "baselines").mkdir()
        words = [ratchet, "gate", "Lying", "--bench", "build/sums", "--budget-s", "20"]
        self.run_here(*words)
        self.run_here(ratchet, "accept", "--from", "results/gate.json", "--allow-unverified", "--yes", "--reason", "x")
        (self.folder / "work.cpp").write_text(PROJECT["work.cpp"].replace("x / 2", "x / 3"))
        self.addCleanup((self.folder / "work.cpp").write_text, PROJECT["work.cpp"])
        (self.folder / "layouts").write_text("1 1 1.2 1")
        self.run_here("cmake", "--build", "build")
        printed = self.run_here(*words)
        self.assertIn("4 same", printed)
        self.assertEqual(printed.count("layout: "), 1, printed)
        self.assertIn("layout: the same code ran 16.7 % slower", printed)
        printed = self.run_here(*words, "--base", "HEAD")
        self.assertIn("4 same", printed)
        self.assertEqual(printed.count("layout: the same code ran 16.7 % slower"), 1, printed)

    def test_a_program_of_unknown_objects_is_timed_and_says_why(self):
        for name, text in (("before", "x / 2"), ("now", "x / 3")):
            (self.folder / "work.cpp").write_text(PROJECT["work.cpp"].replace("x / 2", text))
            self.run_here("cmake", "--build", "build")
            (self.folder / name).mkdir()
            (self.folder / "build/sums").rename(self.folder / name / "sums")
        (self.folder / "work.cpp").write_text(PROJECT["work.cpp"])
        printed = self.run_here(str(BUILD / "perf/ratchet"), "compare", "--exec", "before/sums", "--exec", "now/sums",
                                "--budget-s", "1", codes=(0, 1, 77))  # 77: on a fast CPU both measure nothing
        self.assertIn("lies in no build folder of CMake", printed)
        self.assertEqual(printed.count("and 1 other row execute in "), 1, printed)
        self.assertNotIn("identical work", printed)


if __name__ == "__main__":
    unittest.main()
