"""Interrupted commands keep what they measured, say so, and leave neither processes nor temporary files."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import endings_test
from endings_test import PROGRAM, RATCHET

# A shell ignores it for what runs in the background, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Interrupted(unittest.TestCase):
    setUp, program, start, run_to_end, git, wait_for, make_history, compile = (
        getattr(endings_test.Endings, name)
        for name in ("setUp", "program", "start", "run_to_end", "git", "wait_for", "make_history", "compile"))

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
        self.assertIn("1 of 2 rows were measured and are in the result files", out)
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

    def test_the_page_of_a_run_interrupted_in_its_second_launch(self):
        (self.folder / "hang").touch()
        self.interrupt(self.start("gate", "--bench", "./bench"), signal.SIGINT)
        page = (self.folder / "results/report.html").read_text()
        self.assertNotIn('["machine","unknown"]', page)
        self.assertIn('"settles":"the same command, run to its end"', page)

    def test_a_run_interrupted_before_it_measures_leaves_the_files_of_an_earlier_one(self):
        self.assertEqual(self.run_to_end("gate", "--bench", "./bench", "--budget-s", "1")[0], 0)
        results = self.folder / "results"
        kept = {file: file.read_bytes() for file in results.iterdir() if file.is_file()}
        self.assertLessEqual({"gate.json", "summary.md", "junit.xml", "report.html"}, {file.name for file in kept})
        listing = PROGRAM.replace("names = [", """
(pathlib.Path(os.environ["HERE"]) / "hung").write_text(str(os.getpid()))
time.sleep(600)
names = [""")
        (self.folder / "hang").touch()
        for program, words in ((listing, ()), (PROGRAM, ("--filter", "b"))):  # the listing, the first launch
            self.program(program)
            for number in (signal.SIGINT, signal.SIGTERM):
                out, err = self.interrupt(process := self.start("gate", "--bench", "./bench", *words), number)
                self.assertEqual(process.returncode, 128 + number, out + err)
                self.assertIn("the files in results are still those of an earlier run\n"
                              "ratchet: interrupted before anything was measured", err)
                self.assertEqual({file: file.read_bytes() for file in results.iterdir() if file.is_file()}, kept)
                (self.folder / "hung").unlink()

    def test_a_selftest_interrupted_in_its_first_run_leaves_no_record(self):
        (self.folder / "hang").touch()
        words = ["selftest", "--bench", "./bench", "--runs", "2"]
        process = self.start(*words)
        out, err = self.interrupt(process, signal.SIGINT)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertIn("interrupted before anything was measured", err)
        self.assertFalse((self.folder / "results").exists())

    def test_a_search_made_anew_goes_on_without_that_option(self):
        self.make_history()
        (self.folder / "hang").touch()
        process = self.start("bisect", "HEAD~1", "HEAD", "--anew", "--bench", "bench", "--build-cmd", "true")
        out, err = self.interrupt(process, signal.SIGTERM)
        self.assertEqual(process.returncode, 143, out + err)
        self.assertIn(f"`{RATCHET} bisect 'HEAD~1' HEAD --bench bench --build-cmd true` goes on from there", out)
        self.assertNotIn("the same command", out)

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

    def test_a_signal_that_comes_twice_at_once_is_one(self):
        (self.folder / "hang").touch()
        process = self.start("gate", "--bench", "./bench")
        hung = self.folder / "hung"
        self.wait_for(lambda: hung.exists() and hung.read_text(), process)
        for _ in range(2):  # as timeout(1) does, to its command and to the group
            process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 143, out + err)
        self.assertIn("Interrupted by SIGTERM", out)

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

    def environments(self):
        """The ids of the processes that have this test's mark, which what it started inherits."""
        mark = f"ENDINGS={self.folder}".encode()
        found = []
        for each in pathlib.Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in each.read_bytes().split(b"\0"):
                    found.append(each.parent.name)
        return found

    def files(self):
        return {str(each.relative_to(self.folder)) for each in self.folder.rglob("*")
                if not each.is_relative_to(self.folder / ".git")}

    def make_long_commands(self):
        """By name: a command that hangs, and the file that says it does. A profiler and a builder have children."""
        self.make_history()
        self.compile()
        tools = self.folder / "tools"
        tools.mkdir()
        profiler = tools / "perf"
        profiler.write_text('#!/bin/sh\nfor last; do :; done\n[ "$last" = true ] && exit\n'
                            'echo $$ >"$HERE/hung"\nsleep 600\nexit 1\n')
        profiler.chmod(0o755)
        self.environment["PATH"] = f"{tools}:{self.environment['PATH']}"
        (self.folder / "tmp").mkdir()
        self.environment.update(ENDINGS=str(self.folder), TMPDIR=str(self.folder / "tmp"))
        builds = ["--build-cmd", f"echo $$ >{self.folder}/hung; sleep 600; exit 1"]
        copies = ["--build-cmd", f"cp {self.folder}/compiled ."]
        revisions = ["--bench", "bench", *builds]
        return {
            "gate": ["gate", "--bench", "./bench"],
            "gate's build": ["gate", "--base", "HEAD~1", *revisions],
            "compare": ["compare", "--exec", "./bench", "--exec", "./bench", "--by-time"],
            "bisect": ["bisect", "HEAD~1", "HEAD", "--bench", "bench", "--build-cmd", "true"],
            "bisect's build": ["bisect", "HEAD~1", "HEAD", *revisions],
            "selftest": ["selftest", "--bench", "./bench", "--runs", "2"],
            "explain": ["explain", "a", "--record", "--base", "HEAD", "--bench", "compiled", "--tool", "perf", *copies],
            "explain's build": ["explain", "a", "--base", "HEAD", "--bench", "compiled", "--tool", "perf", *builds],
            "profile": ["profile", "a", "--bench", "./compiled", "--tool", "perf", "--run"],
        }

    def test_whatever_is_interrupted_leaves_neither_processes_nor_temporary_files(self):
        hung = self.folder / "hung"
        (self.folder / "hang").touch()
        for name, words in self.make_long_commands().items():
            before = self.files()
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(name, signal=number.name):
                    process = subprocess.Popen([RATCHET, *words], cwd=self.folder, env=self.environment, text=True,
                                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
                    self.wait_for(lambda: hung.exists() and hung.read_text(), process)
                    os.killpg(process.pid, number)  # as a terminal does
                    out, err = process.communicate(timeout=300)
                    self.assertEqual(process.returncode, 128 + number, out + err)
                    self.assertIn("nterrupted", out + err)
                    until = time.monotonic() + 20
                    while self.environments() and time.monotonic() < until:
                        time.sleep(0.05)
                    self.assertEqual(self.environments(), [])
                    hung.unlink()
                    self.assertEqual(list((self.folder / "tmp").iterdir()), [])
                    left = self.files() - before
                    self.assertEqual({each for each in left if not each.startswith("results")}, set())
            shutil.rmtree(self.folder / "results", ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
