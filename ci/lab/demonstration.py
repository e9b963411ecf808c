"""What demonstrations on programs of others share: the commands of one program, each run, compared with what it should
say, and kept."""
import os
import re
import shutil
import subprocess
import time

from .running import ROOT, Failed, run


class Said(Failed):
    """A command ended otherwise than it should, or did not say it."""

    def __init__(self, what):
        super().__init__(what, 1)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Failed(f"{program} is not installed")


def first_line(words):
    done = run(words)
    return (done.stdout or done.stderr).splitlines()[0]


def number_in(text):
    return re.search(r"\d+(\.\d+)+", text)[0]


def sh(command, tree, **environment):
    run(["sh", "-c", command], tree=tree, env=environment)


class Demonstration:
    """The commands of one program: each is run, must end and speak as stated, and is kept."""

    def __init__(self, options, name, point, program, folder, on=""):
        self.on = on  # the GPU that it runs on
        self.options, self.line = options, {"name": name, "point": point, "program": program, "steps": []}
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "baselines").mkdir(exist_ok=True)

    def says(self, what, words, code, pattern, tree=None, keep=True, **environment):
        """Runs ratchet; the first line of its output that matches the pattern is kept as what it said."""
        start = time.monotonic()
        done = subprocess.run([self.options.ratchet, *map(str, words)], cwd=tree or self.folder, capture_output=True,
                              text=True, env={**os.environ, **environment})
        output = done.stdout + done.stderr
        # A reason goes on in lines that are further in than the row's.
        joined = re.sub(r"(?<=\S)\n {11,}(?=\S)", " ", output)
        found = next((" ".join(line.split()) for line in joined.splitlines() if re.search(pattern, line)), None)
        if found is not None:
            found = found.replace(f"{self.options.work}/", "").replace(f"{ROOT}/", "")
        if done.returncode != code or found is None:
            raise Said(f"{self.line['name']}, {what}: exit {done.returncode} instead of {code}, or nothing like "
                       f"'{pattern}' in:\n{output[-3000:]}")
        if keep:
            words = ["ratchet", *(word.replace(f"{self.options.work}/", "") if isinstance(word, str) else word.name
                                  for word in words)]
            self.line["steps"].append({"what": what, "command": words, "exit": code, "said": found,
                                       "seconds": round(time.monotonic() - start, 1)})
        return output

    def accept(self, *words, tree=None):
        self.says("accept", ["accept", "--yes", "--reason", "as it is", "--uncommitted", "--allow-unverified", *words],
                  0, "", tree=tree, keep=False)


def clone(options, work, name, url, commit):
    tree = work / "clones" / name
    if not tree.exists():
        given = options.source / name if options.source else None
        run(["git", "clone", "-q", given if given and given.exists() else url, tree])
        run(["git", "checkout", "-q", commit], tree=tree)
    return tree
