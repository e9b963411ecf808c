"""How commands end. A failed one leaves nothing behind; `report` takes every folder that a command names, and
every command that one suggests works, and has the options of its run. Interrupted ones: interrupted_test.py."""

import json
import os
import pathlib
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "correctness/support"))
from built import BUILD, need  # noqa: E402

need("perf/ratchet")
RATCHET = str(BUILD / "perf/ratchet")

# Stands in for a Google Benchmark program: rows a and b; where the file `hang` exists, b leaves its
# process id in `hung` and does not end.
PROGRAM = "#!" + sys.executable + """ -SE
import json, os, pathlib, re, sys, time
NS = 1000
flags = dict(word.lstrip("-").partition("=")[::2] for word in sys.argv[1:])
if any(not name.startswith("benchmark_") for name in flags):
    sys.exit("unknown flag")
names = [name for name in ("a", "b") if re.search(flags.get("benchmark_filter", "."), name)]
if "benchmark_list_tests" in flags:
    print("\\n".join(names))
    sys.exit()
here = pathlib.Path(os.environ["HERE"])
if "b" in names and (here / "hang").exists():
    (here / "hung").write_text(str(os.getpid()))
    time.sleep(600)
rows = [{"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
         "threads": 1, "iterations": 1000, "real_time": NS + os.getpid() % 7 / 10, "cpu_time": NS,
         "time_unit": "ns"} for name in names]
pathlib.Path(flags["benchmark_out"]).write_text(json.dumps({"context": {"num_cpus": 1}, "benchmarks": rows}))
"""


class Endings(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.program(PROGRAM)
        self.environment = dict(os.environ, HERE=scratch.name, GIT_CONFIG_GLOBAL="/dev/null")
        for name in ("RATCHET_HISTORY", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
            self.environment.pop(name, None)

    def program(self, text):
        file = self.folder / "bench"
        file.write_text(text)
        file.chmod(0o755)

    def start(self, *words):
        return subprocess.Popen([RATCHET, *words], cwd=self.folder, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_to_end(self, *words):
        process = self.start(*words)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *words], cwd=self.folder, check=True,
                       capture_output=True, env=self.environment)

    def wait_for(self, there, process):
        while not there():
            if process.poll() is not None:
                self.fail(f"ended with {process.returncode}: {process.communicate()}")
            time.sleep(0.02)

    def test_the_empty_folder_of_a_killed_run_is_left_out_of_a_site(self):
        (self.folder / "killed").mkdir()
        code, out, err = self.run_to_end("gate", "--bench", "./bench", "--budget-s", "1")
        self.assertEqual(code, 0, out + err)
        # Of a row without a baseline, the noise of this build is no change with an interval.
        self.assertNotIn('"ratio":', (self.folder / "results/report.html").read_text())
        code, out, err = self.run_to_end("report", "killed", "results", "-o", "site/")
        self.assertEqual((code, err), (0, "ratchet: left out killed: it is empty\n"), out)
        code, out, err = self.run_to_end("report", "killed", "-o", "page.html")
        self.assertEqual(code, 2, out)
        self.assertIn("killed holds no results", err)

    def test_a_record_without_a_run_costs_the_other_results_no_page(self):
        record = self.folder / "results/selftest.jsonl"
        self.assertEqual(self.run_to_end("gate", "--bench", "./bench", "--budget-s", "1")[0], 0)
        record.write_text('{"context": {"cpu.model": "A"}}\n')
        for page in ("page.html", "site/"):
            code, out, err = self.run_to_end("report", "results", "-o", page)
            self.assertEqual((code, err), (0, "ratchet: left out results/selftest.jsonl: it holds no run\n"), out)
        code, out, err = self.run_to_end("report", "results/selftest.jsonl", "-o", "page.html")
        self.assertEqual(code, 2, out)
        self.assertIn("results/selftest.jsonl holds no run", err)

    def test_what_is_missing_for_another_revision_is_named(self):
        self.git("init", "-q")
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in ("env", "sh"):
            (tools / tool).symlink_to(shutil.which(tool))
        self.environment["PATH"] = str(tools)
        words = ["HEAD", "--bench", "./bench", "--build-cmd", "true"]
        for command in (["gate", "--base", *words], ["bisect", "HEAD", *words],
                        ["gate", "--exec", "true", "--base", "x"]):
            code, out, err = self.run_to_end(*command)
            self.assertEqual((code, out), (2, ""), err)
            self.assertIn("ratchet: git is not installed", err)
        alone = tools / "ratchet"  # with no ratchet-bench beside it
        shutil.copy(RATCHET, alone)
        for command in (["bisect", "c0", "c3"], ["gate"], ["explain", "row"]):
            ended = subprocess.run([alone, *command], cwd=self.folder, env=self.environment, text=True,
                                   capture_output=True, timeout=300)
            self.assertEqual(ended.returncode, 2, ended.stdout)
            self.assertEqual(ended.stderr, "ratchet: no benchmark program is named: --bench FILE, "
                                           "of Google Benchmark or nvbench\n")

    def test_a_program_is_the_same_work_as_itself(self):
        code, out, err = self.run_to_end("compare", "--exec", "./bench", "--exec", "bench")
        self.assertEqual(code, 0, out + err)
        self.assertIn("2 rows same (identical work)", out)

    def make_history(self):
        """Two commits: the second makes every call take twice the time."""
        self.git("init", "-q")
        self.git("add", "bench")
        self.git("commit", "-qm", "fast")
        self.program(PROGRAM.replace("NS = 1000", "NS = 2000"))
        self.git("commit", "-qam", "slow")

    def failed(self, *words):
        """Its message; it leaves nothing."""
        before = sorted(self.folder.rglob("*"))
        code, out, err = self.run_to_end(*words)
        self.assertEqual(code, 2, out + err)
        self.assertEqual(sorted(self.folder.rglob("*")), before, words)
        return err

    def test_an_answer_that_cannot_be_written_is_no_success(self):
        for words in (["--version"], ["accept", "--help"], ["completions", "bash"]):
            with open("/dev/full", "w") as full:
                ended = subprocess.run([RATCHET, *words], stdout=full, stderr=subprocess.PIPE, text=True,
                                       cwd=self.folder, timeout=60)
            self.assertEqual(ended.returncode, 2, words)
            self.assertIn("is the disk full, or the pipe closed?", ended.stderr)

    def test_a_failed_run_leaves_nothing(self):
        self.assertIn("/bin/true has no benchmarks", self.failed("gate", "--bench", "/bin/true"))
        self.assertIn("prints its arguments", self.failed("gate", "--bench", "/bin/echo"))
        greeter = self.folder / "greeter"
        greeter.write_text("#!/bin/sh\necho hello\n")
        greeter.chmod(0o755)
        self.assertIn("prints the same for --help", self.failed("gate", "--bench", "./greeter"))
        self.failed("gate", "--bench", "./bench", "--no-such-option")
        self.failed("gate", "--bench", "./bench", "no_such_row")
        self.failed("gate", "--bench", "./no_such_program")
        self.failed("gate", "--bench", "./bench", "--base", "no_such_revision")
        for before, after in (("./bench", "/bin/true"), ("/bin/true", "./bench")):
            self.assertIn("/bin/true has no benchmarks", self.failed("compare", "--exec", before, "--exec", after))
        self.failed("accept", "--from", "no_such_file", "--reason", "x")
        self.git("init", "-q")
        self.git("add", "bench")
        self.git("commit", "-qm", "first")
        self.failed("bisect", "no_such_revision", "HEAD", "--bench", "bench", "--build-cmd", "true")

    def test_a_run_that_fails_turns_the_files_of_the_last_one_red(self):
        junit, summary = self.folder / "results/junit.xml", self.folder / "results/summary.md"
        gate = ["gate", "--bench", "./bench", "--budget-s", "1"]
        self.assertEqual(self.run_to_end(*gate)[0], 0)
        kept = (self.folder / "results/gate.json").read_text()
        began = json.loads(kept)["context"]["ratchet"]["run"]["began"]
        green = junit.read_text(), summary.read_text()
        for failing in ([*gate, "--check-cmd", "false"], ["gate", "--bench", "./none"],
                        ["gate", "--merge", "none"]):
            junit.write_text(green[0])
            summary.write_text(green[1])
            code, out, err = self.run_to_end(*failing)
            self.assertEqual(code, 2, out + err)
            message = err.splitlines()[-1].removeprefix("ratchet: ")
            suite = xml.etree.ElementTree.parse(junit).getroot()
            self.assertEqual((suite.get("tests"), suite.get("errors")), ("1", "1"))
            self.assertEqual(suite.find(".//error").get("message"), message)
            self.assertEqual(summary.read_text(), f"## ratchet: failed (exit 2)\n\n    {message}\n")
        self.assertEqual((self.folder / "results/gate.json").read_text(), kept)
        code, out, err = self.run_to_end("accept", "--allow-unverified", "--uncommitted", "--yes", "--reason", "x")
        self.assertEqual(code, 0, out + err)
        self.assertIn(f"results/gate.json: the run that began {began[:10]} {began[11:19]} UTC", out)

    def test_without_a_program_the_message_asks_for_one(self):
        alone = self.folder / "bin"
        alone.mkdir()
        shutil.copy(RATCHET, alone / "ratchet")  # no ratchet-bench next to it
        done = subprocess.run([str(alone / "ratchet"), "gate"], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--bench", done.stderr)
        self.assertNotIn("ratchet-bench", done.stderr)
        self.assertFalse((self.folder / "results").exists())

    def test_a_run_that_measured_nothing_is_no_entry_of_the_history(self):
        self.program(PROGRAM.replace("here =", "sys.exit('broken')\nhere ="))
        code, out, err = self.run_to_end("gate", "--bench", "./bench")
        self.assertEqual(code, 2, out + err)
        self.assertIn("broken", out)
        self.assertNotIn("no tracker.json", out)
        self.assertFalse((self.folder / "results/history.sqlite").exists())
        self.program(PROGRAM)
        self.assertEqual(self.run_to_end("gate", "--bench", "./bench", "--budget-s", "1")[0], 0)
        history = sqlite3.connect(self.folder / "results/history.sqlite")
        self.assertEqual(history.execute("SELECT count(*) FROM ratchet_runs").fetchone(), (1,))
        history.close()

    def test_programs_outside_the_repository_have_no_commit(self):
        self.make_history()
        (self.folder / "build").mkdir()
        (self.folder / "build/CMakeCache.txt").touch()
        with tempfile.TemporaryDirectory(dir=self.folder.parent) as outside:
            shutil.copy(self.folder / "bench", outside)
            for before, now, known in ((f"{outside}/bench", f"../../{pathlib.Path(outside).name}/bench", False),
                                       (f"{outside}/bench", "../bench", True)):
                process = subprocess.run([RATCHET, "compare", "--exec", before, "--exec", now], env=self.environment,
                                         cwd=self.folder / "build", text=True, capture_output=True)
                self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
                left = json.loads((self.folder / "build/results/compare/gate.json").read_text())["context"]["ratchet"]
                sides = left["run"]["commits"]
                self.assertNotIn("commit", sides.get("base", {}))
                self.assertEqual("commit" in sides["now"], known)
                self.assertNotIn("..", sides["now"]["build"])

    def test_a_row_that_bad_lacks_is_refused_after_its_build(self):
        self.make_history()
        self.git("commit", "-qm", "nothing", "--allow-empty")
        code, out, err = self.run_to_end("bisect", "HEAD~2", "HEAD~1", "bench/none", "--bench", "bench", "--build-cmd",
                                         f"echo >>{self.folder}/builds")
        self.assertEqual(code, 2, out + err)
        self.assertIn("bench/none", err)
        self.assertEqual((self.folder / "builds").read_text(), "\n")

    def test_a_base_that_is_gone_is_answered_with_what_there_is(self):
        self.make_history()
        words = ["gate", "--bench", "bench", "--build-cmd", "true", "--base", "12345678" * 5]
        self.assertIn("`git log --oneline`", self.failed(*words))
        self.git("branch", "-m", "main")
        self.git("checkout", "-qb", "topic")
        self.git("commit", "-qm", "nothing", "--allow-empty")
        message = self.failed(*words)
        self.assertIn("`git merge-base HEAD main`", message)
        self.assertNotIn("`git fetch", message)
        self.git("remote", "add", "upstream", ".")
        self.assertIn(f"`git fetch upstream {words[-1]}`", self.failed(*words))
        none = self.failed("bisect", "0" * 40, "HEAD", "--bench", "bench", "--build-cmd", "true")
        self.assertIn("merge-base", none)
        self.assertNotIn("`git fetch", none)

    def test_quiet_leaves_the_next_command(self):
        self.make_history()
        self.git("commit", "-qm", "nothing", "--allow-empty")
        code, out, err = self.run_to_end("gate", "-q", "--bench", "bench", "--budget-s", "1")
        self.assertEqual(code, 0, out + err)
        self.assertIn(" accept ", out)
        self.assertNotIn("results in", out)
        code, out, err = self.run_to_end("gate", "-q", "bench/a", "--base", "HEAD~2", "--bench", "bench",
                                         "--build-cmd", "true", "--budget-s", "60")
        self.assertEqual(code, 1, out + err)
        self.assertIn("which commit: ", out)
        self.assertIn("results in", out)

    def test_explain_offers_a_search_that_runs_as_printed(self):
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nadd_custom_target(bench COMMAND ${CMAKE_COMMAND} "
            "-E copy ${CMAKE_SOURCE_DIR}/bench ${CMAKE_BINARY_DIR}/bench)\n")
        self.git("init", "-q")
        self.git("add", "CMakeLists.txt")
        self.make_history()
        words = ("explain", "bench/a", "--bench", "build/bench")
        subprocess.run("cmake -S . -B build && cmake --build build -t bench", shell=True, cwd=self.folder, check=True,
                       capture_output=True)
        self.assertNotIn("bisect", self.failed(*words), "no baseline says since when")
        self.git("commit", "-qm", "nothing", "--allow-empty")
        command = re.search(r"`(.*)`", self.failed(*words, "--base", "HEAD~2")).group(1)
        self.assertIn("where the row executes other code than then", self.failed(*words, "--base", "HEAD~2"))
        self.assertRegex(command, r" bisect [0-9a-f]{12} [0-9a-f]{12} bench/a ")
        code, out, err = self.run_to_end(*shlex.split(command)[1:], "--budget-s", "60")
        self.assertEqual(code, 1, out + err)
        self.assertRegex(err, r"is built in [\d.]+ s; results/base/\S+ keeps it for later runs \([\d.]+ MB\)")

    def compile(self, more=""):
        """A program of machine code that lists rows a and b."""
        source = self.folder / "bench.c"
        source.write_text("#include <stdio.h>\n#include <string.h>\nint main(int n, char** words) {\n"
                          "  for (int i = 1; i < n; ++i) if (strncmp(words[i], \"--benchmark\", 11)) return 1;\n"
                          "  return puts(\"a\\nb\") < 0;\n}\n" + more)
        subprocess.run(["cc", "-o", self.folder / "compiled", source], check=True)

    def test_explain_of_identical_work_says_that_and_records_nothing(self):
        self.compile()
        self.git("init", "-q")
        self.git("add", "bench.c")
        self.git("commit", "-qm", "first")
        first = self.folder / "first"
        shutil.copy(self.folder / "compiled", first)
        words = ["explain", "a", "--base", "HEAD", "--bench", "compiled", "--build-cmd", f"cp {first} compiled"]
        code, out, err = self.run_to_end(*words)
        self.assertEqual(code, 0, out + err)
        self.assertIn("Identical work: both builds execute the same code for this row.", out)
        self.assertEqual(out.count("\n"), 2, out)
        self.assertFalse((self.folder / "results/profile.json").exists())
        future = time.time() + 60
        for name in ("baselines/box.json", "results/gate.json"):  # ratchet's own, and no sources
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("{}")
            self.git("add", "-f", name)
            os.utime(file, (future, future))
        code, out, err = self.run_to_end(*words)
        self.assertIn("Identical work", out)
        self.assertNotIn("was changed after", out)
        (self.folder / "bench.c").write_text("int edited;")  # and not built
        os.utime(self.folder / "bench.c", (future, future))
        code, out, err = self.run_to_end(*words)
        self.assertIn("bench.c was changed after compiled was built: if the program reads it, build it", out)
        self.assertEqual(json.loads(self.run_to_end(*words, "--json")[1])["differences"], [])
        self.compile("int other(void) { return 7; }\n")
        code, out, err = self.run_to_end(*words)  # a profiler may be missing
        self.assertNotIn("Identical work", out)

    def report(self, *words):
        code, out, err = self.run_to_end("report", *words)
        self.assertEqual(code, 0, out + err)
        return out

    def test_report_takes_every_folder_that_a_command_names(self):
        self.make_history()
        self.assertEqual(self.run_to_end("bisect", "HEAD~1", "HEAD", "--bench", "bench", "--build-cmd", "true",
                                         "--budget-s", "60")[0], 1)
        self.report("results/bisect", "-o", "bisect.html")
        code, _, err = self.run_to_end("report", "results")
        self.assertEqual(code, 2)
        self.assertIn("`ratchet report results -o FILE.html`", err)
        self.assertEqual(self.run_to_end("selftest", "--bench", "./bench", "--runs", "1", "--slowdowns", "0.5",
                                         "--slowed-runs", "1", "--run-budget-s", "2", "--neighbour", "0")[0], 0)
        self.report("results/selftest", "-o", "selftest.html")
        for results in ("results", "runs/one", "runs/two"):
            code, out, err = self.run_to_end("gate", "--bench", "./bench", "--budget-s", "1", "--results", results)
            self.assertEqual(code, 0, out + err)
        for folder in ("results", "results/", "runs"):
            self.assertIn("`bench/a`", self.report(folder))
        self.report("runs", "-o", "runs.html")
        self.assertEqual((self.folder / "runs.html").read_text().count('"kind":"run"'), 2)
        self.report("results", "-o", "all.html")
        text = (self.folder / "all.html").read_text()
        for kind in ("run", "bisect", "selftest"):
            self.assertIn(f'"kind":"{kind}"', text)

    def suggested(self, out, results):
        """The commands in what was printed, and those that the page shows for each row."""
        found = re.findall(r"`((?:\S*/)?ratchet [a-z]+[^`]*)`", out)
        found += re.findall(r"^[a-z ,]+: ((?:\S*/)?ratchet [a-z]+ .*)$", out, re.M)
        run = json.loads((self.folder / results / "gate.json").read_text())["context"]["ratchet"]
        for row in run["rows"]:
            found += [command.replace("{row}", row) for command in run["run"]["commands"].values()]
        printed = re.findall(r"^(?:  |[a-z ,]+: )((?:\S*/)?ratchet [a-z]+ .*)$", out, re.M)
        self.assertEqual(printed, [step["command"] for step in run["run"]["next"]], "the file says the same")
        found += printed
        return [command for command in dict.fromkeys(found) if not re.search(r"ratchet (doctor|peaks)\b", command)]

    def assert_suggestions_run(self, out, results="results"):
        found = self.suggested(out, results)
        self.assertTrue(found, out)
        for command in found:
            words = shlex.split(command)
            words[0] = RATCHET
            if words[1] == "accept":
                words.append("--yes")  # no terminal to confirm at
            if words[1] in ("bisect", "gate", "compare") and "--budget-s" not in words:
                words += ["--budget-s", "2"]
            with tempfile.TemporaryDirectory() as scratch:  # each in the situation that suggests it
                shutil.copytree(self.folder, scratch, dirs_exist_ok=True)
                done = subprocess.run(words, cwd=scratch, env=self.environment, text=True, capture_output=True,
                                      timeout=300)
            decided = (0, 1, 3) if words[1] == "bisect" else (0, 1)  # in two seconds it may not be
            self.assertIn(done.returncode, decided, command + "\n" + done.stdout + done.stderr)
        return " ".join(found)

    def test_each_suggested_command_runs_where_it_is_suggested(self):
        code, out, err = self.run_to_end("gate", "--bench", "./bench", "--budget-s", "1")  # no baseline yet
        self.assertEqual(code, 0, out + err)
        self.assertIn("accept", self.assert_suggestions_run(out))
        self.make_history()
        self.git("commit", "-qm", "nothing", "--allow-empty")  # of one commit there is nothing to bisect
        code, out, err = self.run_to_end("gate", "bench/a", "--base", "HEAD~2", "--bench", "bench", "--build-cmd",
                                         "true", "--budget-s", "60")
        self.assertEqual(code, 1, out + err)
        suggested = self.assert_suggestions_run(out)
        self.assertIn("bisect", suggested)
        self.assertIn("--base", suggested)
        self.assertNotIn("HEAD", suggested, "what moves with the next commit")
        self.program(PROGRAM.replace("NS + os.getpid() % 7 / 10", "NS").replace(
            '"cpu_time": NS', '"cpu_time": NS * (1 + os.getpid() * 7919 % 101 / 100)'))  # too noisy to decide
        code, out, err = self.run_to_end("compare", "--exec", "./bench", "--exec", "./bench", "--by-time",
                                         "--budget-s", "1")
        self.assertEqual(code, 0, out + err)
        self.assertIn("undecided", out)
        self.assertIn("No test checks what 2 rows compute.", out)
        self.assertNotIn("--check-cmd", out, "which compare does not have")
        self.assertIn("compare --exec", self.assert_suggestions_run(out, "results/compare"))

    def options(self, command):
        """Those that its help declares."""
        code, out, err = self.run_to_end(command, "--help")
        self.assertEqual(code, 0, err)
        return set(re.findall(r"^  (?:-., )?(--[a-z-]+)", out, re.M)) - {"--help"}

    def shown(self, *words, results="results"):
        """The commands that the run shows for a row."""
        shutil.rmtree(self.folder / results, ignore_errors=True)
        code, out, err = self.run_to_end(*words)
        self.assertIn(code, (0, 1, 2, 3), out + err)
        self.assertTrue((self.folder / results / "gate.json").exists(), out + err)
        run = json.loads((self.folder / results / "gate.json").read_text())["context"]["ratchet"]["run"]
        return {name: shlex.split(command) for name, command in run["commands"].items()}

    def assert_has(self, command, given):
        """Every option with its value, in `command`; returns their names."""
        pairs = [(word, *given[i + 1:i + 2]) for i, word in enumerate(given) if word.startswith("--")]
        for option, *value in pairs:
            if value and not value[0].startswith("--"):
                places = [i for i, word in enumerate(command) if word == option]
                self.assertIn(value[0], [command[i + 1] for i in places], f"{option} in {command}")
            self.assertIn(option, command)
        return {option for option, *_ in pairs}

    # What a command that is shown says of its own: the rows, the two sides.
    OF_ITS_OWN = {"--filter", "--bench", "--exec", "--base", "--baseline-dir", "--rows"}

    def test_a_command_shown_has_every_option_of_its_run(self):
        self.program(PROGRAM.replace('"ns"}', '"ns", "score": 5}'))
        self.make_history()
        self.program(PROGRAM.replace("NS = 1000", "NS = 2000").replace('"ns"}', '"ns", "score": 5}'))
        self.git("commit", "-qam", "slow, with its score")
        (self.folder / "made").mkdir()
        (self.folder / "made/CMakeCache.txt").touch()
        judging = ["--tolerance", "0.02", "--tolerance", "other/a=0.1", "--limit", "a$<5 s", "--by-time", "--strict",
                   "--allow-new", "--undecided", "pass", "--budget-s", "1", "--launch-limit-s", "60"]
        program = ["--name", "other", "--clock", "cpu", "--metric", "memory,score:larger", "--check-cmd", "test 1"]
        measuring = ["--check-limit-s", "50", "--verify-limit-s", "1", "--json"]
        kept = ["--results", "out put", "--history", "runs.sqlite"]
        # Each run has what goes together; in none, what needs a GPU or ratchet's own rows, or measures nothing.
        seen = self.OF_ITS_OWN | {"--gpus", "--backend", "--peaks", "--merge", "--nodes"}
        bench = ["gate", "--bench", "./bench"]
        stored = [*judging, *measuring, *kept, *program, "--stored", "--strict-machine", "--launches", "2", "--quiet"]
        command = self.shown(*bench, *stored, results="out put")["repeat"]
        seen |= self.assert_has(command, stored)
        built = ["--build-dir", "made", "--target", "x", "--configure", "-DA=1 -DB=2", "--device-time", "--all-rows",
                 "--budget-s", "1"]
        seen |= self.assert_has(self.shown(*bench, *built)["repeat"], built)
        figure = ["--direction", "smaller", "--budget-s", "1"]
        script = ["--exec", "echo '{\"name\": \"x\", \"value\": 1, \"unit\": \"points\"}'"]
        command = self.shown("gate", *script, *figure)["repeat"]
        seen |= self.assert_has(command, figure)
        based = ["--build-cmd", "true", "--base", "HEAD~2", *judging, *kept, *program]
        self.git("commit", "-qm", "nothing", "--allow-empty")
        self.git("commit", "-qm", "nothing", "--allow-empty")
        commands = self.shown("gate", "--bench", "bench", *based, results="out put")
        revision = based.index("HEAD~2")
        seen |= self.assert_has(commands["repeat"], based[:revision - 1] + based[revision + 1:])
        self.assertEqual(self.options("gate") - seen, set(), "an option of no run here")
        # A search takes what it declares, too; its budget is of each comparison, and its tolerance of all rows.
        taken = self.options("bisect") & set(based) - {"--budget-s"} - self.OF_ITS_OWN
        self.assertEqual({word for word in commands["bisect"] if word.startswith("--")} - {"--bench"}, taken)
        self.assertEqual(commands["bisect"][commands["bisect"].index("--tolerance") + 1], "0.02")
        files = {"--repetitions-are-launches", "--across-machines", "--cpu-time"}  # of no programs; another name
        pair = ["--tolerance", "0.02", "--strict", "--budget-s", "1", "--launch-limit-s", "60", "--by-time", "--clock",
                "cpu", "--metric", "memory", "--direction", "smaller", "--all-rows", "--json", *kept]
        sides = ["compare", "--exec", "./bench", "--exec", "./bench"]
        seen = self.assert_has(self.shown(*sides, *pair, results="out put")["repeat"], pair)
        rest = ["--quiet", "--device-time"]
        seen |= self.assert_has(self.shown(*sides, *rest, results="results/compare")["repeat"], rest)
        self.assertEqual(self.options("compare") - seen - files - self.OF_ITS_OWN, set(), "an option of no run here")
        # A server's address may hold a password.
        command = self.shown(*bench, "--budget-s", "1", "--history", "postgresql://me:secret@nowhere.invalid/runs")
        self.assertNotIn("secret", str(command))


class Environment(unittest.TestCase):
    def test_a_bad_variable_of_google_benchmark_is_named(self):
        program = BUILD / "perf/ratchet-bench"
        if not program.exists():
            self.skipTest("needs ratchet-bench")
        for name, value in (("BENCHMARK_FORMAT", ""), ("BENCHMARK_OUT_FORMAT", "xml"), ("BENCHMARK_COLOR", ""),
                            ("BENCHMARK_TIME_UNIT", "h")):
            done = subprocess.run([str(program), "--benchmark_list_tests"], text=True, capture_output=True,
                                  env=dict(os.environ, **{name: value}))
            self.assertEqual(done.returncode, 2, name)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(f'{name} is "{value}"', done.stderr)


if __name__ == "__main__":
    unittest.main()
