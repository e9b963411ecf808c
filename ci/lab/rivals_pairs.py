"""Pairs of real programs, each compared by ratchet and by other tools as their pages recommend, in about the same time.

The programs are those of `real-commits`: a library's last commit against itself with its code moved, with a commit
that changes other functions, and with a slowdown of about 2 and 5 % put into the function of a row. Pairs and tools
follow in random order, so that all tools meet the same load. Each comparison is a line at the end of the record.
"""
import datetime
import json
import random
import shutil
import signal
import statistics
import time
from collections import namedtuple
from pathlib import Path

from . import real_commits
from .rivals_adapters import Missing, debian_version, installed, run
from .running import ROOT, append, circumstances, gate_result
from .sources import changed, replaced

SIZES = real_commits.PLANTED
MOVED, OTHER = "code moved", "other code changed"

# other: a commit that changes functions that the row does not time. file, head: the row's function, before which code
# is put. fixed: a program of the same work for tools that time whole processes, and what it is linked with.
Pairs = namedtuple("Pairs", "row other file head fixed links")
LIBRARIES = {
    "snappy": Pairs(
        "^BM_UFlat/0/1$", "465b5b60ca", "snappy.cc", "bool RawUncompress(const char* compressed, size_t",
        """#include <fstream>
#include <iterator>
#include <string>
#include "snappy.h"
int main() {
  std::ifstream file("testdata/html");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string packed, out(text.size(), 0);
  snappy::Compress(text.data(), text.size(), &packed);
  for (int i = 0; i < 3000; ++i) snappy::RawUncompress(packed.data(), packed.size(), out.data());
  return text.empty() || out != text;
}
""", ["build/libsnappy.a", "-I.", "-Ibuild"]),
    "zlib-ng": Pairs(
        "^adler32/c/4096$", "94aacd8bd6", "arch/generic/adler32_c.c",
        "Z_INTERNAL uint32_t adler32_c(", """#include <stddef.h>
#include <stdint.h>
extern "C" uint32_t adler32_c(uint32_t adler, const uint8_t* data, size_t size);
int main() {
  static uint8_t data[4096];
  for (size_t i = 0; i < sizeof data; ++i) data[i] = uint8_t(i * i >> 3);
  uint32_t sum = 1;
  for (int i = 0; i < 60000; ++i) sum = adler32_c(sum, data, sizeof data);
  return sum == 0;
}
""", ["build/libz-ng.a"]),
}
REPETITIONS, MIN_TIME_S, RUNS = 9, 0.2, 30


def row_of(pair):
    return f"--benchmark_filter={LIBRARIES[pair.library].row}"


def programs(pair):
    program = real_commits.LIBRARIES[pair.library].program
    return [tree / "build" / program for tree in (pair.before, pair.after)]


def ratchet(pair, options, *more):
    results = options.work / "results" / "rivals"
    shutil.rmtree(results, ignore_errors=True)
    before, after = programs(pair)
    run([options.ratchet, "compare", "--exec", before, "--exec", after, "--filter", LIBRARIES[pair.library].row,
         "--budget-s", options.budget_s, "--results", results, *more], (0, 1, 2, 3), pair.after)
    (row,) = gate_result(results)["context"]["ratchet"]["rows"].values()
    return row["verdict"], 1 / row["ratio"] if "ratio" in row else None


def compare_py(pair, options):
    """By CPU time, which other processes lengthen least."""
    report = options.work / "compare.json"
    run(["/usr/bin/python3", options.compare_py, "-d", report, "benchmarks", *programs(pair), row_of(pair),
         f"--benchmark_repetitions={REPETITIONS}", f"--benchmark_min_time={MIN_TIME_S}"], tree=pair.after)
    rows = json.loads(report.read_text())
    (p,) = [row["utest"]["cpu_pvalue"] for row in rows if row.get("utest")]
    (change,) = [row["measurements"][0]["cpu"] for row in rows if row["name"].endswith("_median")]
    return direction(p < 0.05, change), 1 + change


def hyperfine(pair, options):
    report = options.work / "hyperfine.json"
    before, after = (fixed(pair.library, tree) for tree in (pair.before, pair.after))
    run([installed("hyperfine", options, "Debian: hyperfine"), "--warmup", 3, "--shell=none", "--runs", RUNS,
         "--export-json", report, before, after], tree=pair.after)
    if not options.welch or not options.welch.exists():
        raise Missing("hyperfine's scripts/welch_ttest.py is not installed; name it with --welch")
    words = run(["/usr/bin/python3", options.welch, report]).stdout
    means = [statistics.mean(result["times"]) for result in json.loads(report.read_text())["results"]]
    return direction("There is a difference" in words, means[1] / means[0] - 1), means[1] / means[0]


def direction(differs, change):
    return "same" if not differs else "slower" if change > 0 else "faster"


def fixed(library, tree):
    """The program of fixed work of a tree."""
    program, source = tree / "build/fixed_work", tree / "build/fixed_work.cpp"
    if not program.exists():
        source.write_text(LIBRARIES[library].fixed)
        run(["c++", "-O2", "-std=c++17", source, *LIBRARIES[library].links, "-o", program], tree=tree)
    return program


Tool = namedtuple("Tool", "name judge version")
TOOLS = {
    "ratchet": Tool("ratchet", ratchet, None),
    "ratchet-by-time": Tool("ratchet --by-time", lambda pair, options: ratchet(pair, options, "--by-time"), None),
    "compare.py": Tool("Google Benchmark's compare.py", compare_py, "libbenchmark-tools"),
    "hyperfine": Tool("hyperfine, welch_ttest.py", hyperfine, "hyperfine"),
}
Pair = namedtuple("Pair", "library what before after")


def tree(library, name, commit, edit, options):
    """The built sources of a commit, edited."""
    made = options.work / "trees" / library / f"rivals-{name}"
    if not (made / "build" / real_commits.LIBRARIES[library].program).exists():
        real_commits.sources_of(library, commit, made, options)
        edit(made)
        real_commits.built(library, made)
    return made


def pairs_of(library, options):
    its, commits = LIBRARIES[library], real_commits.LIBRARIES[library]

    def made(name, commit, edit=lambda tree: None):
        return tree(library, name, commit, edit, options)

    def moved(bytes):
        return lambda tree: changed(
            tree, its.file, replaced(its.file, (its.head, f'__asm__(".text\\n.skip {bytes}");\n{its.head}')))

    last = made("last", commits.last)
    yield Pair(library, MOVED, last, made("moved", commits.last, moved(1040)))
    for i in range(1, options.moves):
        bytes = 1040 + 272 * i
        yield Pair(library, MOVED, last, made(f"moved-{bytes}", commits.last, moved(bytes)))
    yield Pair(library, OTHER, made("parent", its.other + "^"), made("other", its.other))
    for size, every in SIZES.items():
        slowed = made(f"slowed-{every}", commits.last, lambda tree, every=every: commits.plant(tree, every))
        yield Pair(library, size, last, slowed)


class Stopped:
    """Whether this process was stopped and continued: what ran meanwhile is measured again."""

    def __init__(self):
        self.happened = False
        signal.signal(signal.SIGCONT, self.note)

    def note(self, number, frame):
        self.happened = True


def running_processes():
    """Of others, at this moment: averages of the load show the minutes before."""
    return int(Path("/proc/loadavg").read_text().split()[3].split("/")[0]) - 1


def judged(pair, name, stopped, options):
    while True:
        stopped.happened, running, start = False, running_processes(), time.monotonic()
        verdict, times = TOOLS[name].judge(pair, options)
        if not stopped.happened:
            return {"verdict": verdict, "times": round(times, 4) if times else None, "running": running,
                    "seconds": round(time.monotonic() - start, 1)}


def run_pairs(options):
    options.work = options.work.resolve()
    options.ratchet = options.ratchet.resolve()
    pairs = [pair for library in LIBRARIES for pair in pairs_of(library, options)
             if not options.kinds or pair.what in options.kinds]
    tools = options.tool or list(TOOLS)
    versions = {name: debian_version(TOOLS[name].version) if TOOLS[name].version else
                run([options.ratchet, "--version"]).stdout.split(None, 1)[1].strip() for name in tools}
    for pair in pairs:  # not in the time of a tool
        for made in (pair.before, pair.after):
            fixed(pair.library, made)
    stopped, here = Stopped(), circumstances()["machine"]
    for _ in range(options.rounds):
        for pair in random.sample(pairs, len(pairs)):
            for name in random.sample(tools, len(tools)):
                append(options.pairs, {
                    "library": pair.library, "pair": pair.what, "tool": name, **judged(pair, name, stopped, options),
                    "version": versions[name], "machine": here, "date": datetime.date.today().isoformat()})
    print(table(read_pairs(options.pairs)))
    return 0


def read_pairs(path):
    """The lines of the record."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def cell(lines, words):
    """How many of the comparisons ended with one of the words, and how many undecided."""
    if not lines:
        return "-"
    verdicts = [line["verdict"] for line in lines]
    undecided = f", undecided {verdicts.count('undecided')}" if "undecided" in verdicts else ""
    return f"{sum(map(verdicts.count, words))} of {len(verdicts)}{undecided}"


def table(record):
    """A tool a line: code that is as fast and is called slower or faster, and slowdowns that are called slower."""
    cells = [["tool", f"false: {MOVED}", f"false: {OTHER}", *(f"found: {size} slower" for size in SIZES), "seconds"]]
    cells.append(["---"] * len(cells[0]))
    for name, tool in TOOLS.items():
        own = [line for line in record if line["tool"] == name]
        if not own:
            continue
        of = {what: [line for line in own if line["pair"] == what] for what in (MOVED, OTHER, *SIZES)}
        seconds = sorted(line["seconds"] for line in own)
        cells.append([tool.name, *(cell(of[what], ("slower", "faster")) for what in (MOVED, OTHER)),
                      *(cell(of[size], ("slower",)) for size in SIZES), f"{seconds[len(seconds) // 2]:.0f}"])
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def add_options(parser, data):
    parser.add_argument("--pairs", type=Path, default=data / "real-pairs.jsonl", metavar="FILE",
                        help="JSON lines, one a comparison of pairs")
    parser.add_argument("--rounds", type=int, default=8, metavar="N", help="comparisons of each pair by each tool (8)")
    parser.add_argument("--kinds", nargs="+", choices=[MOVED, OTHER, *SIZES], metavar="PAIR",
                        help=f"of {', '.join([MOVED, OTHER, *SIZES])}; default: all".replace("%", "%%"))
    parser.add_argument("--moves", type=int, default=1, metavar="N", help="distances by which code is moved (1)")
    parser.add_argument("--budget-s", type=float, default=10, metavar="S", help="of a comparison by ratchet (10)")
    parser.add_argument("--work", type=Path, default=ROOT / "build/real-commits", metavar="FOLDER",
                        help="clones and builds of the pairs' libraries; used again")
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER",
                        help="clones of the libraries, by name; otherwise from GitHub")
