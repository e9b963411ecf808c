#!/usr/bin/env python3
"""A Google Benchmark program, as far as `ratchet compare --exec` asks, that measures nothing: each launch
states the next recorded one. Next to it are `seconds` (JSON, a number a launch) and `next` (how many of
them were used); it ends with 1 when none is left, and for flags that Google Benchmark does not know."""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent


def main(words):
    flags = dict(word.lstrip("-").partition("=")[::2] for word in words)
    if any(not flag.startswith("benchmark_") for flag in flags):
        return 1
    if "benchmark_list_tests" in flags:
        print("row")
        return 0
    seconds = json.loads((HERE / "seconds").read_text())
    used = int((HERE / "next").read_text())
    (HERE / "next").write_text(str(used + 1))
    if used >= len(seconds):
        return 1
    row = {"name": "row", "run_name": "row", "run_type": "iteration", "iterations": 1, "time_unit": "ns",
           "real_time": 1e9 * seconds[used], "cpu_time": 1e9 * seconds[used]}
    pathlib.Path(flags["benchmark_out"]).write_text(json.dumps({"context": {"num_cpus": 1}, "benchmarks": [row]}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
