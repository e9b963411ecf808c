"""What the scripts that measure how sharp the gate is share: a busy machine, a clone to edit, the record."""
import contextlib
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path("results/gate-figures.jsonl")


class Misfit(Exception):
    """An edit that cannot be made any more: the file or the text is gone."""


@contextlib.contextmanager
def neighbours(wanted):
    """A busy process on every CPU that we may use."""
    # No longer than this process lives, however it ends.
    spin = ("import os,sys\nparent = os.getppid()\nos.sched_setaffinity(0, {int(sys.argv[1])})\n"
            "while os.getppid() == parent:\n  for _ in range(100000): pass")
    busy = [subprocess.Popen([sys.executable, "-c", spin, str(cpu)])
            for cpu in (os.sched_getaffinity(0) if wanted else ())]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def circumstances():
    model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    return {"machine": f"{model}, {os.cpu_count()} CPUs",
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "load_before": os.getloadavg()[0]}


def run(command, fine=(0,), tree=None):
    """Throws RuntimeError where it ends otherwise than `fine`."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=tree)
    if done.returncode not in fine:
        raise RuntimeError(f"{' '.join(map(str, command[:3]))} ended with {done.returncode}: "
                           f"{(done.stdout + done.stderr).strip()[-800:]}")
    return done


def append(record, figure):
    print(json.dumps(figure), flush=True)
    record.parent.mkdir(parents=True, exist_ok=True)
    with record.open("a") as lines:
        lines.write(json.dumps(figure) + "\n")


@contextlib.contextmanager
def working_clone(keep):
    """This repository's HEAD in a folder that goes at the end, or in `keep`."""
    folder = keep or Path(tempfile.mkdtemp(prefix="ratchet_figures_"))
    try:
        tree = folder.resolve() / "clone"
        clone(tree)
        yield tree
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def clone(tree):
    """This repository's HEAD at `tree`, where a former one and its build are used again."""
    if not tree.exists():
        run(["git", "clone", "-q", ROOT, tree])
    run(["git", "fetch", "-q", ROOT, "HEAD"], tree=tree)
    run(["git", "checkout", "-q", "-f", "FETCH_HEAD"], tree=tree)


def changed(tree, path, edit):
    file = tree / path
    if not file.is_file():
        raise Misfit(f"{path} is gone")
    before = file.read_text()
    after = edit(before)
    if after == before:
        raise Misfit(f"{path} does not hold what is to be edited")
    file.write_text(after)


def instead(path, *changes):
    """An edit of a tree: of each (old, new) the old text, which occurs once, becomes the new."""
    def edit(text):
        for old, new in changes:
            if text.count(old) != 1:
                raise Misfit(f"{path} does not hold once what is to be edited: {old.strip()}")
            text = text.replace(old, new)
        return text
    return lambda tree: changed(tree, path, edit)


def commit(tree, message):
    run(["git", "add", "-A"], tree=tree)
    run(["git", "-c", "user.name=figures", "-c", "user.email=figures@localhost", "commit", "-q", "-m", message],
        tree=tree)
