"""The commands that the pages print work as printed, in a clone that has nothing but what is shipped
and the build: those of printed_commands.tsv run, page by page in the order of the page; no page names a
program, a subcommand or an option that there is not; printed files are those of the example."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "correctness/support"))
from built import BUILD, ROOT, need  # noqa: E402

DATA = pathlib.Path(__file__).with_name("printed_commands.tsv")
PAGES = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "baselines/README.md", "ci/README.md", "correctness/README.md",
         "correctness/rivals/README.md", "correctness/perf/gate/data/figures/README.md"]
PAGES += sorted(str(path.relative_to(ROOT)) for folder in ("kernels", "perf") for path in (ROOT / folder).rglob("*.md"))
PROGRAMS = r"(?:build/\S+|ratchet|ratchet-bench|ci/\S+|apt-get|cat|cmake|ctest|git|ncu|nsys|pip|python3)"
COMMAND = re.compile(r"(?:\$ )?((?:[A-Z_]+=\S+ )*" + PROGRAMS + r" .*|(?:ci/[a-z-]+|ratchet [a-z]+)\b.*)$")
INLINE = re.compile(r"`((?:build/perf/)?ratchet(?:-bench)?\s[^`]+|(?:python3 )?ci/[a-z-]+(?:\s[^`]+)?)`")
BENCHMARK_OPTIONS = ["filter", "format", "list_tests", "out", "out_format"]

need("perf/ratchet-bench")
if not (ROOT / ".git").exists():
    print("needs the repository to clone")
    sys.exit(77)


def of_blocks(text):
    """(line, command) of fenced and indented blocks: lines that end in a backslash joined, a here
    document kept whole, comments and what stands two spaces behind the command left out."""
    lines, fence, after_blank, found = text.split("\n"), False, True, []
    i = 0
    while i < len(lines):
        line, begun = lines[i], i + 1
        i += 1
        if line.lstrip().startswith("```"):
            fence = not fence
            continue
        block = fence or (line.startswith("    ") and after_blank)
        after_blank = not line.strip() or block  # an indented block begins behind an empty line
        match = COMMAND.match(line.strip()) if block else None
        if match is None:
            continue
        command = match.group(1)
        while command.endswith("\\"):
            command = command[:-1].rstrip() + " " + lines[i].strip()
            i += 1
        command = re.sub(r"(\s{2,}| # ).*", "", command)
        here = re.search(r"<<'(\w+)'$", command)
        if here:
            end = lines.index(here.group(1), i)
            command = "\n".join([command] + lines[i:end + 1])
            i = end + 1
        found.append((begun, command))
    return found


def of_prose(text):
    """(line, command) of inline code that begins with a program of ours."""
    plain = re.sub(r"^```.*?^```", lambda block: "\n" * block.group().count("\n"), text,
                   flags=re.M | re.S)
    return [(plain[:match.start()].count("\n") + 1, " ".join(match.group(1).split()))
            for match in INLINE.finditer(plain)]


def rows():
    """(page, command's first line, how it is run or None, exit codes, why it is not run)."""
    for line in DATA.read_text().split("\n"):
        if line and not line.startswith("#"):
            page, command, run, last = line.split("\t")
            if run == "not":
                yield page, command, None, [], last
            else:
                yield page, command, run, [int(code) for code in last.split(",")], ""


def run(command, folder):
    path = f"{BUILD}/perf:{os.environ['PATH']}"
    return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True,
                          timeout=120, env=dict(os.environ, PATH=path, LC_ALL="C.UTF-8"))


HELP = {}


def help_of(*words):
    if words not in HELP:
        HELP[words] = run(shlex.join(words) + " --help", ROOT).stdout
    return HELP[words]


def wrong(command):
    """What a printed command names that is not there, or ""."""
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "...", command.split("\n")[0])
    words = [word.strip("[]()") for word in unquoted.split()]
    while words and re.match(r"[A-Z_]+=", words[0]):
        words.pop(0)
    if words[0] == "python3":  # of ours
        words.pop(0)
    program, options = words[0], [word.split("=")[0] for word in words if word.startswith("--")]
    if "--" in options:  # what follows is another program's
        options = options[:options.index("--")]
    if program.startswith("ci/"):
        if not os.access(ROOT / program, os.X_OK):
            return f"no program {program}"
        experiment = next((word for word in words[1:] if re.fullmatch(r"[a-z][a-z0-9-]*", word)), "")
        known = (help_of(*["python3", "ci/lab", experiment][:3 if experiment else 2]) if program == "ci/lab" else
                 (ROOT / program).read_text() + (help_of("ratchet", "gate") if program == "ci/gate" else ""))
    elif program.endswith("ratchet-bench"):
        known = help_of("ratchet-bench") + "".join(f" --benchmark_{name}" for name in BENCHMARK_OPTIONS)
    elif program.endswith("ratchet"):
        subcommand = next((word for word in words[1:] if not word.startswith("-")), "")
        if not re.search(rf"^ +{re.escape(subcommand)} ", help_of("ratchet"), re.M):
            return f"no subcommand {subcommand}"
        known = help_of("ratchet", subcommand)
    else:
        return ""
    for option in options:
        if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", known):
            return f"no option {option}"
    return ""


class PrintedCommands(unittest.TestCase):
    def test_each_of_a_block_runs_or_says_why_not(self):
        listed = {(page, command) for page, command, *_ in rows()}
        printed = set()
        for page in PAGES:
            text = (ROOT / page).read_text()
            for line, command in of_blocks(text):
                first = command.split("\n")[0]
                self.assertTrue((page, first) in listed,
                                f"{page}:{line} is not in {DATA.name}: {first}")
                printed.add((page, first))
            printed |= {(page, command) for _, command in of_prose(text)}
        for row in listed:
            self.assertTrue(row in printed, f"{DATA.name} has what no page prints: {row}")

    def test_programs_subcommands_and_options_exist(self):
        seen = 0
        for page in PAGES:
            text = (ROOT / page).read_text()
            for line, command in of_blocks(text) + of_prose(text):
                self.assertEqual(wrong(command), "", f"{page}:{line}: {command}")
                seen += 1
        self.assertGreater(seen, 100)

    def test_printed_files_are_those_of_the_example(self):
        page, example = (ROOT / "perf/guide/new_kernel.md").read_text(), ROOT / "ci/examples/kernels"
        for file in ("dot/dot.h", "dot/cpu_01_loop.cpp"):
            self.assertIn(f"```cpp\n{(example / file).read_text()}```\n", page, file)

    def test_scripts_of_ci_call_subcommands_that_exist(self):
        seen = 0
        for script in ("ci/gate", "ci/gpu-visit", "ci/fleet"):
            for command in re.findall(r'"\$ratchet" ([a-z][a-z-]*)', (ROOT / script).read_text()):
                self.assertEqual(wrong("ratchet " + command), "", f"{script}: {command}")
                seen += 1
        self.assertGreater(seen, 5)

    def test_what_does_not_exist_is_seen(self):
        page = "```sh\nratchet gate --budget-s 3   # right\nci/gate \\\n  --nonsense\n```\n\n    ratchet guess\n\n"
        page += "Prose with `ratchet-bench --ratchet_suvey`, `ci/get` and `ratchet tables --plots DIR`.\n"
        commands = of_blocks(page) + of_prose(page)
        self.assertEqual([line for line, _ in commands], [2, 3, 7, 9, 9, 9])
        self.assertEqual([wrong(command) for _, command in commands],
                         ["", "no option --nonsense", "no subcommand guess",
                          "no option --ratchet_suvey", "no program ci/get", ""])

    def clone(self, folder):
        """What is shipped, as it stands here, with the history."""
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(ROOT), folder], check=True)
        files = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True,
                               capture_output=True).stdout
        subprocess.run(["xargs", "-0", "cp", "--parents", "-P", "-t", folder], input=files, cwd=ROOT,
                       check=True)
        os.symlink(BUILD, folder + "/build")

    def test_run_as_printed(self):
        whole = {page: dict((command.split("\n")[0], command)
                            for _, command in of_blocks((ROOT / page).read_text())) for page in PAGES}
        for page in PAGES:
            todo = [row for row in rows() if row[0] == page and row[2] is not None]
            if not todo:
                continue
            with tempfile.TemporaryDirectory() as folder:
                self.clone(folder)
                for _, command, how, codes, _ in todo:
                    with self.subTest(page=page, command=command):
                        result = run(whole[page].get(command, command) if how == "=" else how, folder)
                        self.assertIn(result.returncode, codes, result.stdout[-1000:] + result.stderr[-1000:])


if __name__ == "__main__":
    unittest.main()
