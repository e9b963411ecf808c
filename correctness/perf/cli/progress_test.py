"""What takes over two seconds says so in a log: each phase of each command, by programs that sleep in it. By the clock
of a test: terminal_test.cpp."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import endings_test

# Sleeps once a process tree where the variable SLOW names what it does: list, or launch (of row b).
SLEEPING = endings_test.PROGRAM.replace("if \"benchmark_list_tests\" in flags:\n", """
def sleep_once():
    mark = pathlib.Path(os.environ["HERE"]) / "slept"
    if not mark.exists():
        mark.touch()
        time.sleep(6)
slow = os.environ.get("SLOW", "")
if "benchmark_list_tests" in flags:
    if slow == "list":
        sleep_once()
""").replace("here = pathlib", "if slow == 'launch' and 'b' in names:\n    sleep_once()\nhere = pathlib")

# What is slow, the command, and what the log says of it.
BUILD = ["--build-cmd", "sleep 6"]
CASES = {
    "listing": ("list", ["gate", "--bench", "./bench"], r"asking bench for its benchmarks \(\d+ s\)"),
    "launching": ("launch", ["gate", "--bench", "./bench", "--launches", "1"], "launching bench/b"),
    "checking": ("", ["gate", "--bench", "./bench", "--check-cmd", "sleep 6"], r"checking by sleep 6 \(\d+ s\)"),
    "building": ("", ["gate", "--bench", "./bench", "--base", "HEAD~1", *BUILD], r"building revision .* \(\d+ s\)"),
    "comparing": ("launch", ["compare", "--exec", "./bench", "--exec", "./bench"], "2 rows briefly"),
    "searching": ("", ["bisect", "HEAD~1", "HEAD", "--bench", "./bench", *BUILD], r"building revision .* \(\d+ s\)"),
    "testing": ("launch", ["selftest", "--bench", "./bench", "--runs", "1", "--slowed-runs", "0"], "launching bench/b"),
    "explaining": ("list", ["explain", "b", "--bench", "./bench", "--base", "HEAD"], "asking bench for its"),
}


class Progress(unittest.TestCase):
    git = endings_test.Endings.git

    def project(self, folder):
        """Two commits, of which the second changes the program."""
        self.folder = folder
        self.environment = dict(os.environ, HERE=str(folder), GIT_CONFIG_GLOBAL="/dev/null")
        for name in ("RATCHET_HISTORY", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
            self.environment.pop(name, None)
        folder.mkdir()
        (folder / ".gitignore").write_text("results/\nbaselines/\nslept\n")
        (folder / "baselines").mkdir()
        (folder / "bench").write_text(SLEEPING)
        (folder / "bench").chmod(0o755)
        self.git("init", "-q")
        for text in ("one", "two"):
            with open(folder / "bench", "a") as file:
                file.write(f"# {text}\n")
            self.git("add", ".")
            self.git("commit", "-qm", text)

    def start(self, name, *more):
        slow, command, _ = CASES[name]
        budget = {"explain": [], "selftest": ["--run-budget-s", "1"]}.get(command[0], ["--budget-s", "1"])
        return subprocess.Popen([endings_test.RATCHET, *command, *budget, *more], cwd=self.folder, text=True,
                                env=dict(self.environment, SLOW=slow), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def test_each_phase_that_takes_long_is_named_in_a_log(self):
        with tempfile.TemporaryDirectory() as scratch:
            running = {}
            for name in CASES:
                self.project(pathlib.Path(scratch).resolve() / name)
                running[name] = self.start(name)
            said = {name: process.communicate(timeout=300)[1] for name, process in running.items()}
        for name, lines in said.items():
            with self.subTest(name):
                shown = [line for line in lines.splitlines() if re.search(CASES[name][2], line)]
                self.assertTrue(shown, lines)
                self.assertTrue(all(line.startswith("ratchet: ") for line in shown), lines)

    def test_quiet_says_none_of_it(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.project(pathlib.Path(scratch).resolve() / "project")
            self.assertEqual(self.start("checking", "--quiet").communicate(timeout=300)[1], "")


if __name__ == "__main__":
    sys.exit(unittest.main())
