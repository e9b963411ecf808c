"""Other tools' own programs, and ratchet, on the same recorded launches, as they are and with a planted slowdown.

  run [TOOL ...]   each tool's verdicts on the recording; its line of the record is replaced
  table            writes the record's tables between the marks of README.md and perf/gate/README.md
  check            whether they are the record's

A is the baseline, B the contender, and both are the same program: a "slower" of what was recorded is a false alarm.
Nothing is measured: every tool reads the recorded times, from files of its own or as the answers of a program or
a clock, and its own words or exit code count, at its default options. Seconds: the sum of the samples of both
sides that a comparison reads, on average, without what starting processes takes.

Exit codes: 0; 1 when `check` finds an old table; 2, with one line, for what is missing.
"""
import datetime
import json
import math
import sys
import tempfile
from collections import namedtuple
from functools import partial
from pathlib import Path

from . import rivals_adapters as adapters
from .rivals_adapters import Missing, debian_version, python_version
from .running import ROOT, run

DATA = ROOT / "correctness/harness/rivals/data"
PAGES = {ROOT / "README.md": "brief", ROOT / "perf/gate/README.md": "full"}
MARKS = "<!-- ratchet:rivals:begin -->", "<!-- ratchet:rivals:end -->"

# blocks: launches a side that a comparison is given; most: samples of each; brief: in the short table too.
Tool = namedtuple("Tool", "name types verdict judge version blocks most brief", defaults=(1, None, True))


def ratchet_version(options):
    return run([options.ratchet, "--version"], brief=True).stdout.split(None, 1)[1].strip()


def pip_version(package):
    return partial(python_version, package=package)


def debian(package):
    return lambda options: debian_version(package)


def pytest_tool(limit, brief):
    return Tool(f"pytest-benchmark, {limit.split(':')[0]}",
                f"pytest --benchmark-compare --benchmark-compare-fail={limit}", "\"has failed\", exit 1",
                partial(adapters.pytest_benchmark, limit=limit), pip_version("pytest-benchmark"), brief=brief)


TOOLS = {
    "ratchet-pairs": Tool("ratchet, two programs", "ratchet compare --exec ./before --exec ./after", "exit 1",
                          adapters.ratchet_pairs, ratchet_version),
    "ratchet-files": Tool("ratchet, files of 12 launches", "ratchet compare before/ after/", "exit 1",
                          adapters.ratchet_files, ratchet_version, 12),
    "compare.py": Tool("Google Benchmark's compare.py", "compare.py benchmarks before.json after.json",
                       "p of the U test below 0.05, median longer", adapters.compare_py, debian("libbenchmark-tools"),
                       1, 9),
    "nvbench": Tool("nvbench-compare-legacy", "nvbench-compare-legacy before.json after.json", "SLOW",
                    partial(adapters.nvbench, program="nvbench-compare-legacy"), pip_version("cuda-bench")),
    "nvbench-robust": Tool("nvbench-compare-robust", "nvbench-compare-robust before.json after.json", "SLOW",
                           partial(adapters.nvbench, program="nvbench-compare-robust"), pip_version("cuda-bench")),
    "criterion": Tool("criterion", "cargo bench -- --baseline before", "\"Performance has regressed.\"",
                      adapters.criterion, debian("librust-criterion-dev")),
    "asv": Tool("asv", "asv compare before after", "the mark +", adapters.asv, pip_version("asv"), 2),
    "hyperfine": Tool("hyperfine", "hyperfine ./before ./after --export-json r.json; welch_ttest.py r.json",
                      "\"There is a difference\", mean longer", adapters.hyperfine, debian("hyperfine"), 10),
    "pytest-min": pytest_tool("min:5%", True),
    "pytest-median": pytest_tool("median:5%", False),
}


def sum_of(cut, names):
    return sum(sum(map(sum, side)) for name in names for side in cut[name])


def judged(tool, rows, options):
    """The line of the record: how often it said slower, of the recording and of the slowed one."""
    cut = adapters.comparisons(rows, tool.blocks, tool.most)
    line, seconds, launches = {}, [], []
    for key, factor in (("as_recorded", 1), ("planted", 1 + options.planted)):
        options.taken = None
        with tempfile.TemporaryDirectory() as folder:
            verdicts = tool.judge(adapters.lengthened(cut, factor), Path(folder), options)
        read = options.taken or {name: [name] for name in verdicts}
        seconds += [sum_of(cut, names) for names in read.values()]
        launches += [tool.blocks * len(names) for names in read.values()]
        words = list(verdicts.values())
        line[key] = {"slower": words.count("slower"), "undecided": words.count("undecided"), "of": len(words)}
    return {**line, "launches_a_side": [min(launches), max(launches)],
            "seconds": float(f"{sum(seconds) / len(seconds):.3g}")}


def read_record(path):
    if not path.exists():
        return {}
    return {line["tool"]: line for line in map(json.loads, path.read_text().splitlines())}


def run_tools(options):
    rows = adapters.read_blocks(options.recording)
    for name in options.tool or TOOLS:
        tool = TOOLS[name]
        line = {"tool": name, "version": tool.version(options), **judged(tool, rows, options),
                "planted_share": options.planted, "recording": options.recording.name,
                "date": datetime.date.today().isoformat()}
        print(json.dumps(line), flush=True)
        record = {**read_record(options.record), name: line}
        options.record.parent.mkdir(parents=True, exist_ok=True)
        options.record.write_text("".join(json.dumps(record[each]) + "\n" for each in TOOLS if each in record))


def interval(hits, runs):
    """95 % Clopper-Pearson interval, by bisection."""
    def at_least(k, p):
        return sum(math.comb(runs, i) * p**i * (1 - p)**(runs - i) for i in range(k, runs + 1))

    def root(k, level):
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if at_least(k, middle) < level else (low, middle)
        return low
    return (root(hits, 0.025) if hits else 0.0), (root(hits + 1, 0.975) if hits < runs else 1.0)


def percent(share):
    return f"{100 * share:.{1 if share < 0.0995 else 0}f}"


def rate(counts, full):
    hits, runs = counts["slower"], counts["of"]
    if not full:
        return f"{percent(hits / runs)} % of {runs}"
    low, high = interval(hits, runs)
    also = f", undecided {counts['undecided']}" if counts["undecided"] else ""
    return f"{percent(hits / runs)} ({percent(low)} to {percent(high)}) of {runs}{also}"


def table(record, form):
    full = form == "full"
    planted = {f"{100 * line['planted_share']:g} %" for line in record.values()}
    caught = f"{' or '.join(sorted(planted))} {'slower' if full else 'caught'}"
    head = ["tool", "version", "calls slower", "launches a side", "seconds", "as recorded", caught] if full else \
        ["tool", "you type", "measured", "false alarms", caught]
    lines = [head, ["---"] * len(head)]
    for name, line in record.items():
        tool, few, many = TOOLS[name], *line["launches_a_side"]
        rates = [rate(line[key], full) for key in ("as_recorded", "planted")]
        if full:
            launches = str(few) if few == many else f"{few} to {many}"
            lines.append([tool.name, line["version"], tool.verdict, launches, f"{line['seconds']:g}", *rates])
        elif tool.brief:
            lines.append([tool.name, f"`{tool.types}`", f"{line['seconds']:.2g} s", *rates])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def pages(options):
    """Each page as it should be; true when all are."""
    record = read_record(options.record)
    if not record:
        raise Missing(f"{options.record} has no line: python3 ci/lab rivals run")
    fine = True
    for page, form in PAGES.items():
        text = page.read_text()
        before, begin, rest = text.partition(MARKS[0])
        _, end, after = rest.partition(MARKS[1])
        if not end:
            raise Missing(f"{page} has no marks {MARKS[0]} and {MARKS[1]}")
        wanted = f"{before}{begin}\n\n{table(record, form)}\n\n{end}{after}"
        fine = fine and wanted == text
        if options.what == "table":
            page.write_text(wanted)
            print(table(record, form) + "\n")
    return fine


def add_options(parser):
    parser.add_argument("what", choices=["run", "table", "check"])
    parser.add_argument("tool", nargs="*", help=", ".join(TOOLS))
    parser.add_argument("--recording", type=Path, default=DATA / "amd-epyc-2c.jsonl", metavar="FILE",
                        help="launches by record-launches")
    parser.add_argument("--record", type=Path, default=DATA / "own-programs.jsonl", metavar="FILE",
                        help="JSON lines, one a tool")
    parser.add_argument("--planted", type=float, default=0.05, metavar="SHARE",
                        help="what B's times are lengthened by the second time (0.05)")
    parser.add_argument("--ratchet", type=Path, default=ROOT / "build/perf/ratchet", metavar="FILE")
    parser.add_argument("--tools", type=Path, metavar="FOLDER",
                        help="of what pip installed, its python3 among it; otherwise found in the PATH")
    parser.add_argument("--compare-py", type=Path, default=Path("/usr/share/benchmark/compare.py"), metavar="FILE")
    parser.add_argument("--welch", type=Path, metavar="FILE", help="hyperfine's scripts/welch_ttest.py")
    parser.add_argument("--cargo-home", type=Path, default=ROOT / "build/rivals-criterion", metavar="FOLDER",
                        help="that criterion's program is built in")


def run_experiment(options):
    unknown = set(options.tool) - set(TOOLS)
    if unknown:
        raise Missing(f"no such tool: {', '.join(sorted(unknown))}; there are {', '.join(TOOLS)}")
    if options.what == "run":
        run_tools(options)
    elif not pages(options) and options.what == "check":
        print("rivals: the tables are not those of the record: python3 ci/lab rivals table", file=sys.stderr)
        return 1
