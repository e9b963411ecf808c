"""clean-roots of ci/lab: its table is that of the record, its commands are those of the README, and what cannot be made
here is one line. What it does in a root takes minutes, and is kept as a record: `python3 ci/lab clean-roots run`."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci"))
from lab import clean_roots, install_check  # noqa: E402
from lab.running import Failed  # noqa: E402


class CleanRoots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_lab(self, *words):
        env = dict(os.environ, XDG_CACHE_HOME=str(self.folder), PATH=f"{self.folder}:{os.environ['PATH']}")
        return subprocess.run([sys.executable, str(ROOT / "ci/lab"), "clean-roots", *words], env=env,
                              capture_output=True, text=True)

    def test_the_page_shows_the_record(self):
        done = self.run_lab("check")
        self.assertEqual(done.returncode, 0, done.stderr)
        record = self.folder / "record.jsonl"
        record.write_text(json.dumps({"root": "debian-12", "packages_s": 1.2, "install_s": 20,
                                      "verdict_s": 30, "version": "0", "commit": "abc", "machine": "a machine",
                                      "date": "2026-11-30T10:00:00+00:00"}) + "\n")
        done = self.run_lab("check", "--record", str(record))
        self.assertEqual(done.returncode, 1)
        self.assertIn("the table is stale", done.stderr)
        self.assertIn("| debian-12 | 1 s | 20 s | 30 s | 51 s |", clean_roots.table(record))
        self.assertIn("On a machine, the last at abc.", clean_roots.table(record))

    def test_commands_are_the_readme_s(self):
        readme = (ROOT / "README.md").read_text()
        for name in clean_roots.ROOTS:
            steps = clean_roots.steps(name)
            self.assertEqual(tuple(steps), clean_roots.STEPS)
            about = clean_roots.ROOTS[name]
            for command in sum(steps.values(), []):
                printed = command.replace(f" {about.compiler} ", " g++ ") if about.compiler else command
                printed = printed.replace(f"linux-{about.processor}", "linux-x86_64")
                if printed != f"export CXX={about.compiler}":
                    self.assertIn(f"\n{printed}\n", readme)
            self.assertEqual(" g++ " in "".join(steps["packages"]), about.compiler == "g++")
            self.assertEqual([command.split()[:2] for command in steps["verdict"]],
                             [["ratchet", "gate"], ["ratchet", "accept"], ["ratchet", "gate"]])

    @unittest.skipUnless(os.getuid() == 0, "only root makes roots")
    def test_what_cannot_be_made_here_is_one_line(self):
        fake = self.folder / "debootstrap"
        fake.write_text("#!/bin/sh\necho 'E: the archive does not answer' >&2\nexit 1\n")
        fake.chmod(0o755)
        record = self.folder / "record.jsonl"
        done = self.run_lab("run", "debian-13", "--record", str(record))
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("skipped: debian-13 cannot be made here: debootstrap ended with 1: E: the archive does not",
                      done.stderr.splitlines()[-1])
        if not clean_roots.UBUNTU_KEYS.exists():
            done = self.run_lab("run", "ubuntu-24.04", "--record", str(record))
            self.assertEqual(done.returncode, 77, done.stderr)
            self.assertIn("the keys of Ubuntu's archive are not installed (/usr/share/keyrings/", done.stderr)
        self.assertFalse(record.exists())
        self.assertEqual(list((self.folder / "ratchet/roots").iterdir()), [])
        done = self.run_lab("run", "hope")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no root hope; choose from debian-12, ", done.stderr)

    def test_an_archive_of_libelf_that_lacks_another_gives_way_to_the_shared_one(self):
        """Debian 13's, here one of two functions."""
        compiler = os.environ.get("CXX", "c++")
        (self.folder / "elf.c").write_text(
            "void eu_search_tree_init(void);\nint elf_end(void* elf) { return elf != 0; }\n"
            "void* elf_begin(int file, int how, void* of) { eu_search_tree_init(); return 0; }\n")
        subprocess.run([compiler, "-x", "c", "-c", "elf.c", "-o", "elf.o"], cwd=self.folder, check=True)
        subprocess.run(["ar", "qc", "libelf.a", "elf.o"], cwd=self.folder, check=True)
        archive = self.folder / "libelf.a"
        done = subprocess.run(
            ["cmake", "-S", ROOT, "-B", self.folder / "build", "-G", "Ninja", "-DRATCHET_TOOL_ONLY=ON",
             "-DRATCHET_STATIC=ON", f"-DRATCHET_ELF_LIBRARY={archive}"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{archive} cannot be linked alone: the program needs libelf.so at run time\n", done.stdout)
        link = (self.folder / "build/build.ninja").read_text()
        self.assertRegex(link, r"LINK_LIBRARIES = .*/libelf\.so ")
        self.assertNotIn(str(archive), link)

    def test_only_the_program_is_linked_so(self):
        for more in ([], ["-DRATCHET_TOOL_ONLY=ON", "-DRATCHET_LIBRARY=ON"]):
            done = subprocess.run(["cmake", "-S", ROOT, "-B", self.folder / "build", "-DRATCHET_STATIC=ON", *more],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("RATCHET_STATIC is for the program alone: set RATCHET_TOOL_ONLY=ON and RATCHET_LIBRARY=OFF",
                          " ".join(done.stderr.split()))

    def test_a_loss_that_the_gate_does_not_find_fails_the_check(self):
        def find(code, slow, other):
            ratchet = {"run": {"exit_code": code}, "rows": {"slow": slow, "other": other}}
            (self.folder / "gate.json").write_text(json.dumps({"context": {"ratchet": ratchet}}))
            install_check.must_find(self.folder, "slow", ["other"])

        same = {"verdict": "same", "ratio": 1.0}
        slower = {"verdict": "slower", "ratio": 0.1}
        busy = {"verdict": "undecided", "reason": "other processes used the CPU in 9 of 9 launches"}
        find(1, slower, same)
        find(0, busy, same)
        for found in (same, {"verdict": "faster", "ratio": 9.0}, {"verdict": "slower", "ratio": 0.9},
                      {"verdict": "undecided", "ratio": 0.1, "reason": "too few launches"}, {"verdict": "uncompared"}):
            with self.assertRaisesRegex(Failed, "slow"):
                find(1, found, same)
        with self.assertRaisesRegex(Failed, "other is the same"):
            find(1, slower, slower)
        for code, found in ((0, slower), (1, busy)):
            with self.assertRaisesRegex(Failed, "the exit code"):
                find(code, found, same)


if __name__ == "__main__":
    unittest.main()
