"""Measures the survey points of stages in several launches, as the gate takes rows, into one file for the tables.

ROWS is a regular expression. What the rows compute is checked first, once, --check-jobs stages at a time
(half the processors, 8 at most), and then each row is launched N times (3); one launch checks for itself, since
its points may take minutes to prepare. A launch during which others
held the processors ("preempted_kept": 1) is put aside and made again, in up to --again (3) further rounds;
a row that has no other launches keeps these, and the tables mark it with a dagger. OUT.json is written
after every round of launches, so that a survey which is cut short leaves all rows with fewer launches.

Each row says which revision measured it ("revision"). With --into, what was measured takes the place of these
rows in STORED.json, and rows that were not measured stay there as they are: a survey may be taken in pieces. But
those of a stage that no longer has such a point go.
Without names of the host and of paths on it, which have no place in files that are shared.

Exit codes: 0; 2 when a launch fails or the file cannot be written; 77 when nothing can run here. Options that are not
below are ratchet-bench's.
"""
import itertools
import json
import os
import re
import subprocess
import tempfile
from multiprocessing.pool import ThreadPool
from pathlib import Path

from . import layout
from .running import Failed

PASSES_ON = True


def command(options, rows, more=()):
    return [options.bench, "--ratchet_survey", f"--benchmark_filter={rows}", *more]


def stage_of(row):
    return "/".join(row.split("/")[:3])


def rows_by_stage(options, rows):
    listed = subprocess.run([*command(options, rows), "--benchmark_list_tests"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()
    stages = {}
    for row in listed:
        stages.setdefault(stage_of(row), []).append(row)
    return stages


def only(rows):
    return "^(" + "|".join(re.escape(row) for row in rows) + ")$"


def check(options, proofs):
    """Leaves in this file what the launches need not check again. What fails is theirs to say."""
    def checked(rows):
        return [subprocess.run([*command(options, only(rows), options.more), what], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True).stdout
                for what in ("--ratchet_check_only", "--ratchet_verify_in_situ")]

    with ThreadPool(options.check_jobs) as pool:
        lines = pool.map(checked, rows_by_stage(options, options.rows).values(), chunksize=1)
    proofs.write_text("".join(itertools.chain(*lines)))


def launch(options, rows, proofs):
    """What one process measures of these rows."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        verified = [f"--ratchet_verified={proofs}"] if proofs.exists() else []
        done = subprocess.run([*command(options, rows, options.more), f"--benchmark_out={out}", *verified],
                              stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            raise Failed(f"{options.bench} ended with {done.returncode} (rows {rows[:200]})",
                         77 if done.returncode == 77 else 2)
        return json.loads(out.read_text())


def disturbed(measured):
    return measured.get("preempted_kept") == 1


def survey(options, proofs):
    """After each round of launches: the first one's context, and the launches to keep of every row."""
    context, clean, aside = None, {}, {}
    rows = options.rows
    for turn in range(options.launches + options.again):
        result = launch(options, rows, proofs)
        context = context or result["context"]
        for measured in result["benchmarks"]:
            name = measured["name"]
            clean.setdefault(name, [])
            (aside.setdefault(name, []) if disturbed(measured) else clean[name]).append(measured)
        yield context, {name: (kept or aside[name])[:options.launches] for name, kept in clean.items()}
        lacking = [name for name, kept in clean.items() if len(kept) < options.launches]
        if not lacking:
            break
        if turn + 1 >= options.launches:
            rows = only(lacking)


def document(context, rows):
    benchmarks = []
    for launches in rows.values():
        for index, measured in enumerate(launches):
            benchmarks.append({**measured, "repetition_index": index, "repetitions": len(launches),
                               "revision": context.get("ratchet.revision")})
    return {"context": context, "benchmarks": benchmarks}


def merged(stored, measured, points):
    """The stored file with these rows in the place of theirs, new ones at its end. `points`: all rows, by stage."""
    rows = {}
    for benchmark in stored.get("benchmarks", []):
        if benchmark["name"] not in points.get(stage_of(benchmark["name"]), [benchmark["name"]]):
            continue
        of_all = stored["context"].get("ratchet.revision")
        rows.setdefault(benchmark["name"], []).append({"revision": of_all, **benchmark})
    for name, launches in itertools.groupby(measured["benchmarks"], lambda benchmark: benchmark["name"]):
        rows[name] = list(launches)
    context = {key: value for key, value in measured["context"].items() if key not in ("host_name", "executable")}
    return {"context": context, "benchmarks": list(itertools.chain(*rows.values()))}


def add_options(parser):
    parser.add_argument("out", type=Path, metavar="OUT.json")
    parser.add_argument("rows", metavar="ROWS")
    parser.add_argument("--into", type=Path, metavar="STORED.json")
    parser.add_argument("--launches", type=int, default=3, metavar="N")
    parser.add_argument("--again", type=int, default=3, metavar="N")
    parser.add_argument("--check-jobs", type=int, metavar="N",
                        default=min(8, max(1, len(os.sched_getaffinity(0)) // 2)))
    parser.add_argument("--bench", default="build/perf/ratchet-bench")


def run_experiment(options):
    with tempfile.TemporaryDirectory() as folder:
        proofs = Path(folder) / "proofs.jsonl"
        if options.launches > 1:
            check(options, proofs)
        for context, rows in survey(options, proofs):
            measured = document(context, rows)
            layout.write(options.out, measured)
    if options.into:
        stored = json.loads(options.into.read_text()) if options.into.exists() else {}
        layout.write(options.into, merged(stored, measured, rows_by_stage(options, ".")))
