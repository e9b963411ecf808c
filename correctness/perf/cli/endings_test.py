"""How commands end. An interrupted one keeps what it measured and says so, a failed one leaves nothing
behind; `report` takes every folder that a command names, and every command that one suggests works."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
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

    def interrupt(self, process, number):
        """Sends the signal while row b hangs; returns what was printed. Nothing is left running."""
        hung = self.folder / "hung"
        self.wait_for(lambda: hung.exists() and hung.read_text(), process)
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(hung.read_text()), 0)
        return out, err

    def test_an_interrupted_gate_keeps_what_it_measured(self):
        (self.folder / "hang").touch()
        process = self.start("gate", "--bench", "./bench")
        out, err = self.interrupt(process, signal.SIGINT)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertIn("Interrupted by SIGINT", out)
        self.assertIn("keep 1 of 2 rows", out)
        self.assertIn("INTERRUPTED (exit 130)", out)
        left = json.loads((self.folder / "results/gate.json").read_text())["context"]["ratchet"]
        self.assertEqual(left["run"]["interrupted"], "SIGINT")
        self.assertEqual(left["run"]["exit_code"], 130)
        self.assertEqual(left["rows"]["bench/a"]["launches"], 1)
        self.assertEqual(left["rows"]["bench/b"]["verdict"], "undecided")
        self.assertIn("not measured", left["rows"]["bench/b"]["reason"])
        self.assertIn("INTERRUPTED", (self.folder / "results/summary.md").read_text())
        self.assertFalse((self.folder / "results/junit.xml").exists(), "green, or red for no fault")
        self.assertFalse((self.folder / "results/history.sqlite").exists())
        self.assertTrue((self.folder / "results/report.html").exists())
        code, out, err = self.run_to_end("accept", "--from", "results/gate.json", "--allow-unverified", "--yes",
                                         "--reason", "half of it")
        self.assertEqual(code, 2, out + err)
        self.assertIn("interrupted", err)

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

    def test_the_page_of_a_run_interrupted_in_its_first_launch(self):
        (self.folder / "hang").touch()
        self.interrupt(self.start("gate", "--bench", "./bench", "--filter", "b"), signal.SIGINT)
        page = (self.folder / "results/report.html").read_text()
        self.assertNotIn('["machine","unknown"]', page)
        self.assertIn('"settles":"the same command, run to its end"', page)

    def test_a_run_interrupted_before_it_measures_leaves_no_page_of_an_earlier_one(self):
        self.assertEqual(self.run_to_end("gate", "--bench", "./bench", "--budget-s", "1")[0], 0)
        self.program(PROGRAM.replace("names = [", """
(pathlib.Path(os.environ["HERE"]) / "hung").write_text(str(os.getpid()))
time.sleep(600)
names = ["""))
        process = self.start("gate", "--bench", "./bench")
        out, err = self.interrupt(process, signal.SIGINT)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertIn("results/gate.json is still of an earlier run\nratchet: interrupted before anything", err)
        for name in ("summary.md", "junit.xml", "report.html"):
            self.assertFalse((self.folder / "results" / name).exists(), name)

    def test_an_interrupted_profile_waits_for_what_the_profiler_writes(self):
        profiler = self.folder / "perf"
        profiler.write_text("#!/bin/sh\ntrap 'sleep 1; echo kept >written; exit 130' INT\n"
                            "touch recording\nwhile :; do sleep 0.1; done\n")
        profiler.chmod(0o755)
        self.environment["PATH"] = f"{self.folder}:{self.environment['PATH']}"
        process = self.start("profile", "a", "--bench", "./bench", "--tool", "perf", "--run")
        self.wait_for((self.folder / "recording").exists, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertEqual((self.folder / "written").read_text(), "kept\n")

    def test_an_interrupted_comparison_keeps_what_it_measured(self):
        (self.folder / "hang").touch()
        process = self.start("compare", "--exec", "./bench", "--exec", "./bench", "--by-time")
        out, err = self.interrupt(process, signal.SIGTERM)
        self.assertEqual(process.returncode, 143, out + err)
        self.assertIn("Interrupted by SIGTERM", out)
        left = json.loads((self.folder / "results/compare/gate.json").read_text())["context"]["ratchet"]
        self.assertEqual(left["run"]["interrupted"], "SIGTERM")

    def test_a_search_interrupted_in_its_first_build_names_no_file(self):
        self.make_history()
        process = self.start("bisect", "HEAD~1", "HEAD", "--bench", "bench", "--build-cmd",
                             f"touch {self.folder}/building; sleep 600")
        self.wait_for((self.folder / "building").exists, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertIn("INTERRUPTED before a build was finished; the same command starts anew.", out)
        self.assertFalse((self.folder / "results/bisect.json").exists())

    def test_a_program_is_the_same_work_as_itself(self):
        code, out, err = self.run_to_end("compare", "--exec", "./bench", "--exec", "bench")
        self.assertEqual(code, 0, out + err)
        self.assertIn("2 rows same (identical work)", out)

    def test_an_interrupted_selftest_keeps_its_runs(self):
        record = self.folder / "results/selftest.jsonl"
        process = self.start("selftest", "--bench", "./bench", "--runs", "500", "--slowdowns", "0.5",
                             "--slowed-runs", "1", "--run-budget-s", "2", "--neighbour", "0")
        self.wait_for(lambda: record.exists() and record.read_text().count("\n") > 1, process)
        (self.folder / "hang").touch()
        out, err = self.interrupt(process, signal.SIGINT)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertRegex(err, r"501 runs of up to 2 s each, .* in all at most: 500 of the program against itself "
                              r"\(--runs\), 1 with one side slowed on purpose")
        runs = record.read_text().count("\n") - 1
        self.assertIn(f"keeps the {runs} run{'s' * (runs != 1)} made", out)

    def test_an_interrupted_search_goes_on_later(self):
        self.make_history()
        (self.folder / "hang").touch()
        words = ["bisect", "HEAD~1", "HEAD", "--bench", "bench", "--build-cmd", "true", "--budget-s", "60"]
        process = self.start(*words)
        out, err = self.interrupt(process, signal.SIGINT)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertIn("keeps 2 builds and 0 comparisons", out)
        self.assertIn("begins an unfinished comparison anew", out)
        (self.folder / "hang").unlink()
        code, out, err = self.run_to_end(*words)
        self.assertEqual(code, 1, out + err)
        self.assertIn("resuming", err)

    def test_a_second_signal_ends_it_at_once(self):
        (self.folder / "hang").touch()
        process = self.start("gate", "--bench", "./bench")
        hung = self.folder / "hung"
        self.wait_for(lambda: hung.exists() and hung.read_text(), process)
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):  # both wait for it
            process.send_signal(number)
        process.communicate(timeout=300)
        self.assertIn(process.returncode, (-signal.SIGTERM, -signal.SIGINT))  # whichever came second
        self.assertFalse((self.folder / "results").exists(), "an empty folder")

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
        self.assertRegex(err, r"is built in \d+ s; results/base/\S+ keeps it for later runs \(\d+ MB\)")

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
