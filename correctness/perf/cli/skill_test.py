"""The skill (perf/guide/ratchet-gate/SKILL.md) works as it is written: in a project that got slower, each printed
command is run in its order, and so is what `next` of gate.json says."""
import os
import re
import subprocess
import unittest

import endings_test
from printed_commands_test import ROOT, of_blocks

SKILL = ROOT / "perf/guide/ratchet-gate/SKILL.md"
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(theirs LANGUAGES NONE)
add_custom_target(my_bench COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/bench ${CMAKE_BINARY_DIR}/my_bench)
"""


class Skill(unittest.TestCase):
    setUp, program, git = (getattr(endings_test.Endings, name) for name in ("setUp", "program", "git"))

    def shell(self, command, code):
        folder = os.path.dirname(endings_test.RATCHET)
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=600,
                              env=self.environment | {"PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, code, command + "\n" + done.stdout + done.stderr)
        return done.stdout

    def test_its_head_is_what_agents_read(self):
        head = re.match(r"---\nname: (\S+)\ndescription: (.*?)\n---\n", SKILL.read_text(), re.S)
        self.assertEqual(head[1], SKILL.parent.name)
        self.assertLess(len(head[2]), 1024)

    def test_followed_step_by_step(self):
        (self.folder / "CMakeLists.txt").write_text(CMAKE)
        (self.folder / ".gitignore").write_text("build/\nresults/\n")
        for name, value in (("user.name", "x"), ("user.email", "x@x")):
            self.environment[f"GIT_CONFIG_KEY_{name == 'user.email':d}"] = name
            self.environment[f"GIT_CONFIG_VALUE_{name == 'user.email':d}"] = value
        self.environment["GIT_CONFIG_COUNT"] = "2"
        self.git("init", "-qb", "main")
        self.git("add", ".")
        self.git("commit", "-qm", "fast")
        self.git("checkout", "-qb", "change")
        self.program(endings_test.PROGRAM.replace("NS = 1000", "NS = 2000"))
        self.git("commit", "-qam", "slow")
        self.git("commit", "-q", "--allow-empty", "-m", "nothing")
        self.shell("cmake -S . -B build && cmake --build build --target my_bench", 0)
        gate, read, bisect, commit, again, store, accept = (command for _, command in of_blocks(SKILL.read_text()))
        self.assertIn("REGRESSION (exit 1): 2 slower", self.shell(gate, 1))
        said = self.shell(read, 0)
        self.assertRegex(said, r"(?s)^exit code 1\nslower my_bench/a 0.5.*\nslower my_bench/b 0.5")
        follow = re.findall(r"^bisect: (.*)$", said, re.M)
        self.assertEqual(len(follow), 1, said)
        for command in (follow[0], bisect):
            self.assertRegex(self.shell(command, 1), r"my_bench/a: .*\n  commit [0-9a-f]+ slow\n")
        self.shell(commit, 0)
        self.assertIn("PASS (exit 0): 2 slower; 2 of the slower accepted by a commit", self.shell(again, 0))
        self.shell(store, 0)
        self.assertRegex(self.shell(read, 0), r"\naccept: \S+ accept ")
        self.shell(accept, 0)
        self.assertEqual(len(list(self.folder.glob("baselines/*/my_bench.json"))), 1)
        self.assertIn("same", self.shell(store, 0))


if __name__ == "__main__":
    unittest.main()
