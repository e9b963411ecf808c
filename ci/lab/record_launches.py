"""Records launches with all their samples, for build/correctness/rules_table.

A block launches every row once per side, A and B in random order. Both sides are the same program; with --slowdown,
side B does that share of extra real work in the timed act. Each block gives one line, a list of {"row", "side":
"A"|"B", "block", "samples": [seconds], "reference": rate of the control workload, if it ran}.

Exit codes: 0; 2 if a launch fails or the file cannot be written. Other options are passed to ratchet-bench.
"""
import json
import random
import tempfile
from pathlib import Path

from .running import run

PASSES_ON = True


def launch(options, side):
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "samples.jsonl"
        command = [options.bench, f"--benchmark_filter={options.rows}", "--ratchet_skip_check",
                   f"--ratchet_budget_s={options.budget_s}", f"--ratchet_samples={samples}", *options.more]
        if side == "B" and options.slowdown:
            command.append(f"--ratchet_slowdown={options.slowdown}")
        run(command, brief=True)
        return [json.loads(line) for line in samples.read_text().splitlines()]


def add_options(parser):
    parser.add_argument("out", type=Path, metavar="OUT.jsonl")
    parser.add_argument("--bench", default="build/perf/ratchet-bench")
    parser.add_argument("--rows", default="^graveler/cpu/(06|08|12)", metavar="REGEX")
    parser.add_argument("--blocks", type=int, default=200, metavar="N")
    parser.add_argument("--slowdown", type=float, default=0.0, metavar="SHARE", help="of side B")
    parser.add_argument("--budget-s", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)


def run_experiment(options):
    order = random.Random(options.seed)
    with options.out.open("w") as out:
        for block in range(options.blocks):
            launches = [{**row, "side": side, "block": block}
                        for side in order.sample("AB", 2) for row in launch(options, side)]
            out.write(json.dumps(launches) + "\n")
