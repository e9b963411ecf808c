"""Measures what the gate detects on this machine: the figures of correctness/perf/gate/data/figures/README.md.

  spread      the noise of pairs of a program with itself, for several ways of making pairs
  equal       rows that are equally fast, compared by time: how many are called same
  neighbour   the same of fewer rows, next to a busy process on every CPU
  injected    rows of which one side does 2 % more: how many are called slower
  unchanged   the default gate over a tree in which nothing changed, alone and next to a
              busy process on every CPU: exit codes and seconds
  own         the CPU time of the gate's own process, in the gate of a program of 200 rows in which
              nothing changed (Google Benchmark, compiled here)
  table       the record as the table of that page

The table's source is --record, too. A line a figure, with the machine, the date and the load before it. Options that
are not below are for `ratchet compare` and `ratchet gate`. Exit codes: 0; 2 when something could not be measured.
"""
import collections
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from .running import Failed, add_record, append, circumstances, judged_rows, neighbours, run

PASSES_ON = True

ROWS_OF_OWN = """#include <benchmark/benchmark.h>
void Row(benchmark::State& state) {
  long value = state.range(0);
  for (auto _ : state) benchmark::DoNotOptimize(value += 3 * value + 1);
}
BENCHMARK(Row)->DenseRange(1, 200);
BENCHMARK_MAIN();
"""

SPREAD_ROWS = ("graveler/cpu/05_wyrand,life/cpu/04_packed_bits,tiny_mc/cpu/04_direct,"
               "officers/cpu/02_half_loop,bmn/cpu/07_climb,graveler/cpu/10_chunk_per_task")
# Every row of a CPU of three families, 52; and twenty rows of one thread.
EQUAL_ROWS = "^(graveler|life|tiny_mc)/cpu"
NEIGHBOUR_ROWS = "^(graveler/cpu/0[1-8]|life/cpu/0[1-57]|officers/cpu/0[2-5]|tiny_mc/cpu/0[12])"
INJECTED_ROWS = "^(graveler/cpu/0[1-6]|life/cpu/0[45]|tiny_mc/cpu/0[24])"


def spread(options):
    for busy in (False, True):
        for way in ("one after the other", "interleaved"):
            about = circumstances()
            command = [options.build / "correctness/pair_spread", options.build / "perf/ratchet-bench",
                       options.rows or SPREAD_ROWS, "--pairs", options.pairs]
            # One after the other as they are without slices: eight samples or 0.05 s.
            command += ["--seconds", options.seconds] if way == "interleaved" else ["--launches"]
            with neighbours(busy):
                lines = run(command).stdout.splitlines()
            for line in lines:
                row, call, samples, pairs, deviation, robust, pair_s, minute = (
                    cell.strip() for cell in line.strip("|").split("|"))
                yield {"figure": "spread", "row": row, "way": way, "busy": busy, "call_ms": float(call),
                       "samples": float(samples), "pairs": int(pairs), "deviation_percent": float(deviation),
                       "robust_percent": float(robust), "pair_s": float(pair_s), **about}


def compare(options, figure, rows, busy, budget_s, injected=0.0):
    """The bench against a copy of itself; without the digests, which would settle all rows at once."""
    about = circumstances()
    with tempfile.TemporaryDirectory() as folder:
        base, now = Path(folder) / "ratchet-bench", Path(folder) / "now"
        shutil.copy(options.build / "perf/ratchet-bench", base)
        extra = f" --ratchet_slowdown={injected}" if injected else ""
        now.write_text(f'#!/bin/sh\nexec {base} "$@"{extra}\n')
        now.chmod(0o755)
        start = time.monotonic()
        with neighbours(busy):
            done = run([options.build / "perf/ratchet", "compare", "--exec", base, "--exec", now, "--filter",
                        options.rows or rows, "--budget-s", budget_s, "--results", Path(folder) / "results",
                        *options.more], {0, 1, 3})
        took = time.monotonic() - start
        kept = judged_rows(Path(folder) / "results")
    by_verdict = {}
    for row, entry in kept.items():
        if entry["verdict"] != "unavailable":
            by_verdict.setdefault(entry["verdict"], []).append(row)
    yield {"figure": figure, "busy": busy, "injected_share": injected, "budget_s": budget_s, "took_s": round(took, 1),
           "exit_code": done.returncode, "rows": sum(map(len, by_verdict.values())),
           **{verdict: len(rows) for verdict, rows in by_verdict.items()},
           "undecided_rows": by_verdict.get("undecided", []), "slower_rows": by_verdict.get("slower", []), **about}


def unchanged(options):
    """A figure a run: where time is lent, what was measured before it ended is kept."""
    for busy in (False,) if options.alone else (False, True):
        for _ in range(options.runs):
            about = circumstances()
            with tempfile.TemporaryDirectory() as folder, neighbours(busy):
                start = time.monotonic()
                code = run([options.build / "perf/ratchet", "gate", "--results", folder, *options.more],
                           {0, 1, 2, 3}).returncode
                yield {"figure": "unchanged", "busy": busy, "exit_codes": [code],
                       "seconds": [round(time.monotonic() - start, 1)], **about}


def own_seconds(words, folder):
    """The CPU time of the process without those that it starts. Read before the process is waited for, since its times
    go with it."""
    with subprocess.Popen(list(map(str, words)), cwd=folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    if process.returncode != 0:
        raise Failed(f"{Path(words[0]).name} {words[1]} ended with {process.returncode} in {folder}")
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def own(options):
    about, ratchet = circumstances(), options.build / "perf/ratchet"
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "rows.cpp", Path(folder) / "rows"
        source.write_text(ROWS_OF_OWN)
        run(["c++", "-O2", source, "-lbenchmark", "-lpthread", "-o", program])
        (Path(folder) / "baselines").mkdir()
        gate = [ratchet, "gate", "--bench", program]
        first = own_seconds([*gate, "--launches", "1", "--budget-s", "5"], folder)
        run([ratchet, "accept", "--yes", "--contended", "--allow-unverified", "--reason", "first"], tree=folder)
        yield {"figure": "own", "rows": 200, "first_s": first,
               "seconds": [own_seconds(gate, folder) for _ in range(min(options.runs, 5))], **about}


def figures(options):
    budget_s = options.budget_s
    if options.what == "unchanged":
        return unchanged(options)
    if options.what == "own":
        return own(options)
    if options.what == "spread":
        return spread(options)
    if options.what == "equal":
        return compare(options, "equal", EQUAL_ROWS, False, budget_s or 240)
    if options.what == "neighbour":
        return compare(options, "neighbour", NEIGHBOUR_ROWS, True, budget_s or 240)
    return compare(options, "injected", INJECTED_ROWS, False, budget_s or 240, options.injected)


def together(runs):
    """Runs of one day and machine as one, with the load before the first."""
    joined = {}
    for line in runs:
        key = line["machine"], line["date"][:10], line["busy"]
        known = joined.setdefault(key, {**line, "exit_codes": [], "seconds": []})
        for field in ("exit_codes", "seconds"):
            known[field] += line[field]
    return list(joined.values())


def table(record):
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    spreads = {}
    for line in lines:
        if line["figure"] == "spread":
            spreads[line["row"], line["busy"], line["way"]] = line
    if spreads:
        print("Standard deviation of a pair's ln ratio, seconds a pair:\n")
        print("| row | one call | one after the other | interleaved "
              "| with busy CPUs, one after the other | interleaved |")
        print("|---|---|---|---|---|---|")
        for row in dict.fromkeys(row for row, _, _ in spreads):
            cells = []
            for busy in (False, True):
                for way in ("one after the other", "interleaved"):
                    one = spreads.get((row, busy, way))
                    cells.append(f"{one['deviation_percent']:.2g} %, {one['pair_s']:.2g} s" if one else "-")
            call = spreads[next(key for key in spreads if key[0] == row)]["call_ms"]
            print(f"| {row} | {call:.3g} ms | " + " | ".join(cells) + " |")
        print()
    runs = [line for line in lines if line["figure"] == "unchanged"]
    if runs:
        print("| default gate, nothing changed | exit 0 | seconds, median and most | date, load before |")
        print("|---|---|---|---|")
        for line in together(runs):
            took = sorted(line["seconds"])
            print(f"| {'with a busy process on every CPU' if line['busy'] else 'alone'} | "
                  f"{line['exit_codes'].count(0)} of {len(took)} | {took[len(took) // 2]:.0f}, {took[-1]:.0f} | "
                  f"{line['date'][:10]}, {line['load_before']:.1f} |")
        print()
    for line in lines:
        if line["figure"] == "own":
            runs = len(line["seconds"])
            print(f"The gate of {line['rows']} rows of which none changed computes for {max(line['seconds']):.2f} s at "
                  f"most, without the program; of rows that are all new for {line['first_s']:.2f} s ({runs} runs, "
                  f"{line['date'][:10]}, load before {line['load_before']:.0f}).\n")
    edits = [line for line in lines if line["figure"] == "harmless"]
    for line in edits:
        moved = "; ".join(f"{name}: {len(stages)}" for name, stages in line["moved"].items()) or "none"
        print(f"Of {line['edits']} edits that change nothing executed (`ci/lab harmless-edits`, {line['date'][:10]}), "
              f"{line['edits'] - len(line['moved'])} moved no digest of {line['stages']} stages. Moved: {moved}.\n")
    histories([line for line in lines if line["figure"] == "history"])
    injected_sources([line for line in lines if line["figure"] == "injected_source"])
    injected_on_gpu([line for line in lines if line["figure"] == "injected_cuda"])
    shared_headers([run for line in lines if line["figure"] == "shared_header" for run in line["runs"]])
    bisections([line for line in lines if line["figure"] == "bisect"])
    compared = [line for line in lines if line["figure"] in ("equal", "neighbour", "injected")]
    if compared:
        comparisons(compared)
    print("; ".join(sorted({line["machine"] for line in lines})) + ".")


def injected_sources(lines):
    if not lines:
        return
    print("| 2 % more in the source of one stage (`ci/lab injected-slowdowns`) | runs | exit 1, its row alone | "
          "undecided | another row slower | seconds, median and most | date |")
    print("|---|---|---|---|---|---|---|")
    last = list({line["row"]: line for line in lines}.values())
    for busy in (False, True):
        injected_source_line(lines, busy, "")
    for busy in (False, True) if last != lines else ():
        injected_source_line(last, busy, ", the last runs of each")
    undecided = collections.Counter(
        line["row"] for line in lines for run in line["runs"] if run["verdict"] == "undecided")
    some = ", ".join(f"`{row}` {number}" for row, number in undecided.items())
    print(f"\nRuns that stayed undecided: {some or 'none'}.\n")


def injected_source_line(lines, busy, what):
    runs = [run for line in lines for run in line["runs"] if run["busy"] == busy]
    if not runs:
        return
    took = sorted(run["seconds"] for run in runs)
    named = sum(run["exit_code"] == 1 and run["verdict"] == "slower" and not run["others_slower"] for run in runs)
    stages, since = len({line["row"] for line in lines}), min(line["date"] for line in lines)
    where = "with a busy process on every CPU" if busy else "alone"
    print(f"| {where}, {stages} stages{what} | {len(runs)} | {named} | "
          f"{sum(run['verdict'] == 'undecided' for run in runs)} | {sum(bool(run['others_slower']) for run in runs)} | "
          f"{took[len(took) // 2]:.0f}, {took[-1]:.0f} | from {since[:10]} |")


def injected_on_gpu(lines):
    if not lines:
        return
    print("| 0.5 % more in the source of a CUDA stage (`ci/lab injected-on-gpu`) | runs | slower | came to, % | "
          "pairs, most | seconds, median and most | GPU, date |")
    print("|---|---|---|---|---|---|---|")
    for line in lines:
        runs = line["runs"]
        took = sorted(run["seconds"] for run in runs)
        ratio = sorted(run["ratio"] for run in runs)[len(runs) // 2]
        print(f"| {line['row']}{', more blocks of the same code' if line['shape'] else ''} | {len(runs)} | "
              f"{sum(run['verdict'] == 'slower' for run in runs)} | {100 * (1 / ratio - 1):.2f} | "
              f"{max(run['pairs'] for run in runs)} | {took[len(took) // 2]:.0f}, {took[-1]:.0f} | "
              f"{line['gpu']}, {line['date'][:10]} |")
    print()


def histories(lines):
    for line in lines:
        commits = line["commits"]
        some = [one for one in commits if one["touched"]]
        moving = [one for one in commits if one["moved"]]
        print(f"Of the last {len(commits)} commits (`ci/lab digest-history`, {line['date'][:10]}), along first "
              f"parents, {len(some)} can have touched a stage on CPUs: {sum(one['touched'] for one in some)} stages of "
              f"{sum(one['stages'] for one in some)}, each commit's counted. {len(moving)} gave a stage another "
              f"digest: {sum(one['moved'] for one in moving)} stages, of them "
              f"{sum(len(one['beyond']) for one in commits)} that the commit cannot have touched.\n")


def shared_headers(runs):
    if not runs:
        return
    print("| shared headers edited, no stage slower (`ci/lab injected-slowdowns --shared`) | runs | rows that differ | "
          "runs with a row called slower | undecided, most | seconds, median and most |")
    print("|---|---|---|---|---|---|")
    for busy, rows in dict.fromkeys((one["busy"], one["rows"]) for one in sorted(runs, key=lambda one: one["busy"])):
        some = [one for one in runs if (one["busy"], one["rows"]) == (busy, rows)]
        took = sorted(run["seconds"] for run in some)
        print(f"| {'with a busy process on every CPU' if busy else 'alone'} | {len(some)} | {rows} | "
              f"{sum(bool(run['slower']) for run in some)} | {max(run['undecided'] for run in some)} | "
              f"{took[len(took) // 2]:.0f}, {took[-1]:.0f} |")
    slower = collections.Counter(row for run in runs for row in run["slower"])
    names = ", ".join(f"`{row}` {number}" for row, number in slower.items())
    print(f"\nRows called slower: {names or 'none'}.\n")


def bisections(runs):
    if not runs:
        return
    print("| one commit of a history slower (`ci/lab bisect-check`) | searches | the commit and its row alone named | "
          "builds, most | comparisons, most | seconds, median and most | date |")
    print("|---|---|---|---|---|---|---|")
    kinds = [(run["commits"], run["share"], run["date"][:10]) for run in runs]
    for kind in dict.fromkeys(kinds):
        some = [run for run, its in zip(runs, kinds, strict=True) if its == kind]
        took = sorted(run["seconds"] for run in some)
        commits, share, date = kind
        print(f"| one of {commits}, {100 * share:g} % | {len(some)} | {sum(run['right'] for run in some)} | "
              f"{most(some, 'builds')} | {most(some, 'comparisons')} | "
              f"{took[len(took) // 2]:.0f}, {took[-1]:.0f} | {date} |")
    print()


def most(runs, field):
    """A search that ended early has none."""
    return max((run[field] for run in runs if run[field] is not None), default="-")


def comparisons(lines):
    print("| programs compared | rows | same | slower | faster | undecided | budget | took | date, load before |")
    print("|---|---|---|---|---|---|---|---|---|")
    names = {"equal": "with itself", "neighbour": "with itself, busy CPUs"}
    for line in lines:
        name = names.get(line["figure"], f"with itself, {100 * line['injected_share']:g} % more work")
        counts = " | ".join(str(line.get(verdict, 0)) for verdict in ("same", "slower", "faster", "undecided"))
        print(f"| {name} | {line['rows']} | {counts} | {line['budget_s']:g} s | {line['took_s']:.0f} s | "
              f"{line['date'][:10]}, {line['load_before']:.1f} |")
    print()


def add_options(parser):
    parser.add_argument("what", choices=["spread", "equal", "neighbour", "injected", "unchanged", "own", "table"])
    parser.add_argument("--build", type=Path, default=Path("build"), help="of ratchet, ratchet-bench and pair_spread")
    add_record(parser)
    parser.add_argument("--rows", metavar="REGEX")
    parser.add_argument("--pairs", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=0.25)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--budget-s", type=float)
    parser.add_argument("--alone", action="store_true", help="of unchanged: not next to busy processes")
    parser.add_argument("--injected", type=float, default=0.02, metavar="SHARE")


def run_experiment(options):
    options.build = options.build.resolve()
    if options.what == "table":
        table(options.record)
        return
    for figure in figures(options):
        append(options.record, figure)
