"""Other tools' own programs, and ratchet, on the same recorded launches, as they are and with an injected slowdown.

  run [TOOL ...]        each tool's verdicts on the recording; replaces its line of the record
  simulate [TOOL ...]   the same on simulated launches, which differ by 0, 0.5, 1 and 2 %
  pairs                 ratchet, compare.py and hyperfine on pairs of real programs, measured here
  table                 writes the records' tables between the marks of README.md, correctness/rivals/README.md and
                        perf/guide/evaluation.md
  check                 whether these tables are current

A is the baseline, B the contender. Both are the same program, so "slower" on the recorded launches is a false alarm.
Nothing else is measured: every tool reads the recorded times from its own files, or as the output of a program or
a clock.
Its own output or exit code counts, with its default options. Seconds: the average sum of the samples of both sides that
a comparison reads, without starting processes.

Exit codes: 0; 1 if `check` finds a stale table; 2, with one line, for a missing tool or file.
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
from . import rivals_pairs
from .rivals_adapters import Missing, debian_version, python_version
from .running import ROOT, marked, run, write_whole

DATA = ROOT / "correctness/rivals/data"
# Differences of launches, as in the table of correctness/rules_table for ratchet's own rules.
LEVELS = (0, 0.005, 0.01, 0.02)
SIMULATED = ("nvbench", "compare.py", "asv", "pytest-min")  # criterion takes long

# blocks: launches per side of a comparison; most: samples of each; brief: also in the short table.
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


def called(tool, cut, options):
    """The tool's verdicts by comparison."""
    with tempfile.TemporaryDirectory() as folder:
        return tool.judge(cut, Path(folder), options)


def counts(verdicts):
    words = list(verdicts.values())
    return {"slower": words.count("slower"), "undecided": words.count("undecided"), "of": len(words)}


def judged(tool, rows, options):
    """The line of the record: how often the tool reports slower, as recorded and with the injected slowdown."""
    cut = adapters.comparisons(rows, tool.blocks, tool.most)
    line, seconds, launches = {}, [], []
    for key, factor in (("as_recorded", 1), ("injected", 1 + options.injected)):
        options.taken = None
        verdicts = called(tool, adapters.lengthened(cut, factor), options)
        read = options.taken or {name: [name] for name in verdicts}
        seconds += [sum_of(cut, names) for names in read.values()]
        launches += [tool.blocks * len(names) for names in read.values()]
        line[key] = counts(verdicts)
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
                "injected_share": options.injected, "recording": options.recording.name,
                "date": datetime.date.today().isoformat()}
        keep(options.record, name, line)


def keep(path, name, line):
    print(json.dumps(line), flush=True)
    record = {**read_record(path), name: line}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, "".join(json.dumps(record[each]) + "\n" for each in TOOLS if each in record))


def simulated_launches(options, blocks, between):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "launches.jsonl"
        run([options.rules_table, "--write", file, "--blocks", blocks, "--between", between, "--seed", 1], brief=True)
        return adapters.read_blocks(file)


def simulate_tools(options):
    for name in options.tool or SIMULATED:
        tool, levels = TOOLS[name], []
        for between in LEVELS:
            rows = simulated_launches(options, tool.blocks * options.comparisons, between)
            cut = adapters.comparisons(rows, tool.blocks, tool.most)
            levels.append({"between": between, "same": counts(called(tool, cut, options)), "injected": counts(
                called(tool, adapters.lengthened(cut, 1 + options.injected), options))})
        keep(options.simulated, name, {
            "tool": name, "version": tool.version(options), "launches_a_side": tool.blocks, "simulated": levels,
            "injected_share": options.injected, "date": datetime.date.today().isoformat()})


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
    injected = {f"{100 * line['injected_share']:g} %" for line in record.values()}
    caught = f"{' or '.join(sorted(injected))} {'slower' if full else 'caught'}"
    head = ["tool", "version", "calls slower", "launches a side", "seconds", "as recorded", caught] if full else \
        ["tool", "you type", "measured", "false alarms", caught]
    lines = [head, ["---"] * len(head)]
    for name, line in record.items():
        tool, few, many = TOOLS[name], *line["launches_a_side"]
        rates = [rate(line[key], full) for key in ("as_recorded", "injected")]
        if full:
            launches = str(few) if few == many else f"{few} to {many}"
            lines.append([tool.name, line["version"], tool.verdict, launches, f"{line['seconds']:g}", *rates])
        elif tool.brief:
            lines.append([tool.name, f"`{tool.types}`", f"{line['seconds']:.2g} s", *rates])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def simulated_table(record):
    lines = [["tool", "launches a side", *(f"{100 * between:g} %" for between in LEVELS)]]
    lines.append(["---"] * len(lines[0]))
    for name, line in record.items():
        rates = [" / ".join(percent(level[key]["slower"] / level[key]["of"]) for key in ("same", "injected"))
                 for level in line["simulated"]]
        lines.append([TOOLS[name].name, str(line["launches_a_side"]), *rates])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def read_lines(path, command):
    record = read_record(path)
    if not record:
        raise Missing(f"{path} has no results; run python3 ci/lab rivals {command}")
    return record


def pages(options):
    """Updates or checks each page; true if all are current."""
    write = options.what == "table"
    record, simulated = read_lines(options.record, "run"), read_lines(options.simulated, "simulate")
    pairs = rivals_pairs.read_pairs(options.pairs)
    if not pairs:
        raise Missing(f"{options.pairs} has no results; run python3 ci/lab rivals pairs")
    return all([
        marked(ROOT / "README.md", "rivals", table(record, "brief"), write),
        marked(ROOT / "correctness/rivals/README.md", "rivals", table(record, "full"), write),
        marked(ROOT / "correctness/rivals/README.md", "rivals-simulated", simulated_table(simulated), write),
        marked(ROOT / "perf/guide/evaluation.md", "rivals-pairs", rivals_pairs.table(pairs), write)])


def add_options(parser):
    parser.add_argument("what", choices=["run", "simulate", "pairs", "table", "check"])
    parser.add_argument("tool", nargs="*", help=f"{', '.join(TOOLS)}; of pairs: {', '.join(rivals_pairs.TOOLS)}")
    parser.add_argument("--recording", type=Path, default=DATA / "amd-epyc-2c.jsonl", metavar="FILE",
                        help="launches of record-launches")
    parser.add_argument("--record", type=Path, default=DATA / "own-programs.jsonl", metavar="FILE",
                        help="JSON lines, one a tool")
    parser.add_argument("--simulated", type=Path, default=DATA / "own-programs-simulated.jsonl", metavar="FILE",
                        help="JSON lines, one a tool")
    rivals_pairs.add_options(parser, DATA)
    parser.add_argument("--comparisons", type=int, default=300, metavar="N", help="simulated (300)")
    parser.add_argument("--rules-table", type=Path, default=ROOT / "build/correctness/rules_table", metavar="FILE",
                        help="the simulator")
    parser.add_argument("--injected", type=float, default=0.05, metavar="SHARE",
                        help="the injected slowdown of B's times (0.05)")
    parser.add_argument("--ratchet", type=Path, default=ROOT / "build/perf/ratchet", metavar="FILE")
    parser.add_argument("--tools", type=Path, metavar="FOLDER",
                        help="the tools' virtual environment, with its python3; otherwise found in the PATH")
    parser.add_argument("--compare-py", type=Path, default=Path("/usr/share/benchmark/compare.py"), metavar="FILE")
    parser.add_argument("--welch", type=Path, metavar="FILE", help="hyperfine's scripts/welch_ttest.py")
    parser.add_argument("--cargo-home", type=Path, default=ROOT / "build/rivals-criterion", metavar="FOLDER",
                        help="in which criterion's program is built")


def run_experiment(options):
    known = rivals_pairs.TOOLS if options.what == "pairs" else TOOLS
    unknown = set(options.tool) - set(known)
    if unknown:
        raise Missing(f"unknown tool: {', '.join(sorted(unknown))}; choose from {', '.join(known)}")
    if options.what == "run":
        run_tools(options)
    elif options.what == "simulate":
        simulate_tools(options)
    elif options.what == "pairs":
        rivals_pairs.run_pairs(options)
    elif not pages(options) and options.what == "check":
        print("rivals: the tables are stale; run python3 ci/lab rivals table", file=sys.stderr)
        return 1
