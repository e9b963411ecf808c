"""What the shells complete, and the manual page: both follow the declarations that --help shows."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "correctness/support"))
from built import BUILD, need  # noqa: E402

need("perf/ratchet")
RATCHET = str(BUILD / "perf/ratchet")
LIMIT_S = 300  # of a shell, in which a tab takes a moment


def ratchet(*words):
    done = subprocess.run([RATCHET, *words], capture_output=True, text=True, check=True)
    return done.stdout


def offered(*words):
    """The words that are offered for the last of `words`, and the places."""
    *lines, places = ratchet("complete", "--", *words).splitlines()
    return [line.split("\t")[0] for line in lines], places


def commands():
    return re.findall(r"^  ([a-z]+) ", ratchet("--help"), re.M)


def options_of(command):
    """As --help lists them."""
    named = re.findall(r"^  ((?:-\w, )?--[a-z0-9-]+)", ratchet(command, "--help"), re.M)
    return {word for names in named for word in names.split(", ")}


class Offers(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(set(offered("")[0]), {*commands(), "help", "--help", "--version"})
        self.assertEqual(offered("ga"), (["gate"], ":none"))
        self.assertEqual(set(offered("help", "")[0]), set(commands()))

    def test_every_option_that_help_shows_and_no_other(self):
        for command in commands():
            self.assertEqual(set(offered(command, "-")[0]), options_of(command) | {"--help"}, command)

    def test_values_of_a_fixed_set(self):
        self.assertEqual(offered("gate", "--clock", "")[0], ["auto", "cpu", "wall"])
        self.assertEqual(offered("gate", "--undecided", "")[0], ["pass", "fail"])
        self.assertEqual(offered("gate", "--backend", "c")[0], ["cpu", "cuda"])
        self.assertEqual(offered("gate", "--clock=c")[0], ["--clock=cpu"])
        self.assertEqual(offered("gate", "--clock", "=", "c")[0], ["cpu"], "as bash splits words")
        self.assertEqual(offered("gate", "--clock", "=")[0], ["auto", "cpu", "wall"])
        self.assertEqual(offered("completions", "")[0], ["bash", "fish", "zsh"])

    def test_files_and_folders(self):
        for words in (["gate", "--bench"], ["compare"], ["compare", "a.json"], ["compare", "--exec"],
                      ["report", "a.json"], ["gate", "--history"], ["gate", "--", "--flag"],
                      ["history", "--import", "a.json"]):
            self.assertEqual(offered(*words, ""), ([], ":files"), words)
        for words in (["gate", "--build-dir"], ["gate", "--merge", "node1"], ["accept", "--baseline-dir"]):
            self.assertEqual(offered(*words, ""), ([], ":folders"), words)
        self.assertEqual(offered("gate", "--budget-s", ""), ([], ":none"))
        self.assertIn("--nodes", offered("gate", "--merge", "node1", "--")[0])

    def test_stages(self):
        stages = re.findall(r"^\S+/\S+", ratchet("list"), re.M)
        for words in (["gate"], ["gate", "--filter"], ["list"], ["accept", "--yes"], ["bisect", "a", "b"]):
            self.assertEqual(offered(*words, "")[0], stages, words)

    def test_what_it_does_not_know(self):
        self.assertEqual(offered("nosuch", ""), ([], ":none"))
        self.assertEqual(offered("gate", "a", ""), (offered("gate", "-")[0], ":none"))


def typed(shell, setup, line, folder):
    """What a shell runs after this line, typed at its prompt: `ratchet` there prints its words."""
    environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", HOME=str(folder), TERM="vt100",
                       PS1="", PROMPT="", INPUTRC="/dev/null", LC_ALL="C")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(shell[0], shell, environment)
    seen, end = "", time.monotonic() + LIMIT_S

    def wait_for(pattern):
        nonlocal seen
        while not re.search(pattern, seen):
            ready = select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]
            if not ready:
                raise AssertionError(f"{shell[0]} did not get to {pattern!r}: {seen!r}")
            seen += os.read(terminal, 65536).decode(errors="replace")
        return re.search(pattern, seen)[1]

    try:
        os.write(terminal, f"{setup}; echo 'be''gun-'\n".encode())
        wait_for("(begun-)")
        os.write(terminal, line.encode() + b"\t\n")
        return wait_for(r"RAN<(.*)>")
    finally:
        os.kill(child, 9)
        os.close(terminal)
        os.waitpid(child, 0)


class Shells(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        program = self.folder / "ratchet"
        program.write_text(f'#!/bin/sh\nif [ "$1" = complete ]; then exec "{RATCHET}" "$@"; fi\n'
                           'printf "RAN<"; printf "[%s]" "$@"; echo ">"\n')
        program.chmod(0o755)
        (self.folder / "only_file.json").touch()
        (self.folder / "only_folder").mkdir()
        for shell in ("bash", "fish", "zsh"):
            (self.folder / f"{shell}_script").write_text(ratchet("completions", shell))

    def need(self, *programs):
        for program in programs:
            if not shutil.which(program):
                self.skipTest(f"{program} is not installed; run ci/setup")

    def check(self, shell, setup):
        for line, runs in (("ratchet ga", "[gate]"), ("ratchet gate --buil", None),
                           ("ratchet gate --strict-m", "[gate][--strict-machine]"),
                           ("ratchet gate --clock c", "[gate][--clock][cpu]"),
                           ("ratchet gate --clock=c", "[gate][--clock=cpu]"),
                           ("ratchet compare only_fi", "[compare][only_file.json]"),
                           ("ratchet gate --build-dir only_", "[gate][--build-dir][only_folder/]"),
                           ("ratchet gate --bench=only_fi", "[gate][--bench=only_file.json]")):
            ran = typed(shell, setup, line, self.folder)
            self.assertEqual(ran, runs or "[gate][--build-]", line)

    def test_bash(self):
        self.need("bash")
        self.check(["bash", "--norc", "--noprofile", "-i"], "source ./bash_script")

    def test_zsh(self):
        self.need("zsh")
        (self.folder / "functions").mkdir()
        shutil.copy(self.folder / "zsh_script", self.folder / "functions/_ratchet")
        load = "autoload -Uz compinit; compinit -u -d ./dump; setopt no_auto_remove_slash no_auto_menu no_list_beep"
        self.check(["zsh", "-f", "-i"], f"fpath=($PWD/functions $fpath); {load}")
        ran = typed(["zsh", "-f", "-i"], f"{load}; source ./zsh_script", "ratchet ga", self.folder)
        self.assertEqual(ran, "[gate]")

    def test_fish(self):
        self.need("fish")
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", HOME=str(self.folder))
        for line, offers in (("ratchet ga", ["gate"]), ("ratchet gate --strict-m", ["--strict-machine"]),
                             ("ratchet gate --clock c", ["cpu"]), ("ratchet gate --clock=c", ["--clock=cpu"]),
                             ("ratchet compare only_fi", ["only_file.json"]),
                             ("ratchet gate --build-dir only_", ["only_folder/"])):
            done = subprocess.run(["fish", "--no-config", "-c", f"source fish_script; complete -C '{line}'"],
                                  cwd=self.folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S)
            self.assertEqual([one.split("\t")[0] for one in done.stdout.splitlines()], offers, line + done.stderr)


class Installed(unittest.TestCase):
    def test_an_installed_program_has_them_where_shells_and_man_look(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", BUILD, "--component", "tool", "--prefix", prefix], check=True,
                           capture_output=True)
            for file, words in (("man/man1/ratchet.1", ["manual"]),
                                ("bash-completion/completions/ratchet", ["completions", "bash"]),
                                ("zsh/site-functions/_ratchet", ["completions", "zsh"]),
                                ("fish/vendor_completions.d/ratchet.fish", ["completions", "fish"])):
                self.assertEqual((pathlib.Path(prefix) / "share" / file).read_text(), ratchet(*words))


class Manual(unittest.TestCase):
    def test_it_has_every_command_and_option(self):
        page = ratchet("manual").replace("\\-", "-")
        for command in commands():
            self.assertIn(f"\n.SS {command}\n", page)
            section = page.split(f"\n.SS {command}\n")[1].split("\n.SS ")[0]
            for option in options_of(command):
                self.assertRegex(section, rf"(?m)^\\fB(-\w, )?{option}[ ,\\]|^\\fB{option}, --", command)

    def test_readers_of_manuals_have_no_complaint(self):
        page = ratchet("manual")
        for reader, words in (("mandoc", ["-Tlint", "-Wwarning"]),
                              ("man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"])):
            if not shutil.which(reader):
                self.skipTest(f"{reader} is not installed; run ci/setup")
            done = subprocess.run([reader, *words], input=page, capture_output=True, text=True,
                                  env=dict(os.environ, MANWIDTH="80"))
            said = (done.stdout if reader == "mandoc" else "") + done.stderr
            lines = [line for line in said.splitlines() if "missing date" not in line]
            self.assertEqual(lines, [], reader)


if __name__ == "__main__":
    unittest.main()
