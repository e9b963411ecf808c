"""Shared functions of experiments: run and build programs, describe the machine, read results."""
import contextlib
import datetime
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path("results/gate-figures.jsonl")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ratchet"  # what ci/setup fetches


class Failed(RuntimeError):
    """Ends the experiment with a line for the user, and this exit code."""

    def __init__(self, what, code=2):
        super().__init__(what)
        self.code = code


def run(command, fine=(0,), tree=None, env=None, brief=False):
    """The finished process. Raises Failed for an exit code not in `fine`, with its last lines (`brief`: the last)."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, cwd=tree, env={**os.environ, **(env or {})})
    except OSError as error:
        raise Failed(f"{words[0]}: {error.strerror}") from error
    if done.returncode not in fine:
        if brief:
            what = Path(words[0]).name
            last = " ".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-1:])
        else:
            what, last = " ".join(words[:3]), (done.stdout + done.stderr).strip()[-3000:]
        raise Failed(f"{what} ended with {done.returncode}: {last}")
    return done


def version():
    return re.search(r"^project\(ratchet VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def configure(tree, build, *settings):
    run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", *settings])


def build(folder, *targets):
    run(["cmake", "--build", folder, *(["--target", *targets] if targets else [])])


def work_digests(build_folder):
    """The digests by stage."""
    return json.loads((build_folder / "perf/ratchet-bench.work.json").read_text())["stages"]


def gate_result(results):
    """The results of a gate run or a comparison in its folder."""
    return json.loads((results / "gate.json").read_text())


def judged_rows(results):
    return gate_result(results)["context"]["ratchet"]["rows"]


def figures_of(row):
    """The fields of a judged row for a record."""
    return {"verdict": row["verdict"], "pairs": row["launches"],
            **{key: row[key] for key in ("ratio", "low", "high", "tolerance", "reason") if key in row}}


@contextlib.contextmanager
def neighbours(wanted):
    """Starts a busy process on every CPU of this process."""
    # They end with this process, however it ends.
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


def append(record, figure):
    print(json.dumps(figure), flush=True)
    record.parent.mkdir(parents=True, exist_ok=True)
    with record.open("a") as lines:
        lines.write(json.dumps(figure) + "\n")


def write_whole(path, text):
    """Writes a file atomically."""
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    os.replace(new, path)


def printed(page, mark):
    """What a page holds between two marks."""
    begin, end = (f"<!-- ratchet:{mark}:{which} -->" for which in ("begin", "end"))
    text = page.read_text()
    if begin not in text or end not in text:
        raise Failed(f"{page} has no marks {begin} and {end}")
    return text.split(begin)[1].split(end)[0]


def printed_lines(page, mark):
    """The lines of the block of code between two marks."""
    return [line for line in printed(page, mark).strip().splitlines() if not line.startswith("```")]


def marked(page, mark, wanted, write):
    """Whether `wanted` is between the marks of the page; writes and shows it, if asked."""
    text, found, begin = page.read_text(), printed(page, mark), f"<!-- ratchet:{mark}:begin -->"
    before, after = text.split(begin)
    between = f"\n\n{wanted}\n\n" if wanted else "\n\n"
    whole = f"{before}{begin}{between}{after.removeprefix(found)}"
    if write:
        write_whole(page, whole)
        print(wanted + "\n")
    return whole == text


def add_record(parser):
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE",
                        help=f"JSON lines to append to ({RECORD})")


def add_clone(parser):
    """Adds the options of experiments that edit a clone."""
    parser.add_argument("--only", default="", metavar="REGEX", help="only edits whose name matches")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the clone here, and use it again")
