#!/usr/bin/env -S python3 -SE
"""Stands in for a program of nvbench's: its command line and its JSON, as its sources define them.

Two benchmarks: copy (types, sizes) and spin (without axes). What it does is said by the environment:

  NVB_TIMES    JSON, microseconds by benchmark (10 each)
  NVB_DEVICES  how many GPUs there are (1)
  NVB_SKIP     values of T that skip themselves
  NVB_CRASH, NVB_GARBAGE, NVB_HANG   a benchmark that ends by a signal, writes no JSON, does not end
  NVB_OLD      as before February 2026: there is no --no-batch
"""
import json
import os
import random
import signal
import struct
import sys
import time

AXES = {
    "copy": [("T", "type", ["I8", "std::complex<float>"]), ("Elements", "int64", [1024, 65536]),
             ("Scale", "float64", [0.5])],
    "spin": [],
}
NAMES = list(AXES)
KNOWN = {"--timeout": 1, "--devices": 1, "--device": 1, "-d": 1, "--axis": 1, "-a": 1, "--benchmark": 1,
         "-b": 1, "--json": 1, "--jsonbin": 1, "--min-samples": 1, "--quiet": 0, "--no-batch": 0}
if os.environ.get("NVB_OLD"):
    del KNOWN["--no-batch"]


def fail(text):
    sys.stderr.write("\nNVBench encountered an error:\n\n" + text + "\n")
    sys.exit(1)


def devices():
    return [{"id": i, "name": "Stand-in GPU %d" % i} for i in range(int(os.environ.get("NVB_DEVICES", 1)))]


def listing():
    def values(kind, all_values):
        return [{"input_string": str(v), "description": "", **({} if kind == "type" else {"value": v})}
                for v in all_values]

    return [{"name": name, "index": i,
             "axes": [{"name": a, "type": t, "flags": "", "values": values(t, v)} for a, t, v in AXES[name]]}
            for i, name in enumerate(NAMES)]


def parse(args):
    """nvbench's own order: what stands before any --benchmark holds for all."""
    chosen, out, binary = [], None, False
    devs, timeout = [d["id"] for d in devices()], 15.0
    while args:
        arg = args.pop(0)
        if arg in ("--help", "-h"):
            print("NVBench v0.1.0 (main:none)\n\n" + "\n".join("* `%s`" % k for k in KNOWN))
            sys.exit(0)
        if arg == "--jsonlist-benches":
            print(json.dumps({"benchmarks": listing()}, indent=2))
            sys.exit(0)
        if arg == "--jsonlist-devices":
            print(json.dumps({"devices": devices()}, indent=2))
            sys.exit(0)
        if arg not in KNOWN:
            fail("Unrecognized command-line argument: `%s`." % arg)
        value = args.pop(0) if KNOWN[arg] else None
        if arg in ("--benchmark", "-b"):
            chosen.append((NAMES[int(value)] if value.isdigit() else value, {}))
        elif arg in ("--axis", "-a"):
            axis, text = value.split("=", 1)
            chosen[-1][1][axis] = text.strip("[]").split(",")
        elif arg in ("--devices", "--device", "-d"):
            devs = [int(v) for v in value.split(",")]
        elif arg == "--timeout":
            timeout = float(value)
        elif arg in ("--json", "--jsonbin"):
            out, binary = value, arg == "--jsonbin"
    return chosen or [(name, {}) for name in NAMES], devs, timeout, out, binary


def figure(tag, value, kind="float64"):
    return {"tag": tag, "name": tag, "data": [{"name": "value", "type": kind, "value": str(value)}]}


def combinations(name, stated):
    all_states = [[]]
    for axis, kind, values in AXES[name]:
        wanted = stated.get(axis, [str(v) for v in values])
        if kind == "type":  # an active type is active once, however often it is named
            wanted = [v for v in values if v in wanted]
        all_states = [s + [(axis, "string" if kind == "type" else kind, v)] for v in wanted for s in all_states]
    return all_states


def measure(name, axes, device, out, binary, state_index):
    state = {"name": "Device=%d" % device, "device": device, "is_skipped": False, "summaries": None,
             "axis_values": [{"name": a, "type": t, "value": v} for a, t, v in axes] or None}
    for axis, _, value in axes:
        if axis == "T" and value in os.environ.get("NVB_SKIP", "").split(","):
            state.update(is_skipped=True, skip_reason="no kernel for " + value)
            return state
    centre = json.loads(os.environ.get("NVB_TIMES", "{}")).get(name, 10) * 1e-6 * (1 + device)
    centre *= 1 + random.uniform(-1e-3, 1e-3)  # this process
    samples = [centre * (1 + random.uniform(-2e-3, 2e-3)) for _ in range(50)]
    state["summaries"] = [figure("nv/cold/sample_size", len(samples), "int64"),
                          figure("nv/cold/time/cpu/mean", sum(samples) / len(samples) + 5e-6),
                          figure("nv/cold/time/gpu/mean", sum(samples) / len(samples))]
    if binary:
        os.makedirs(out + "-bin", exist_ok=True)
        with open("%s-bin/%d.bin" % (out, state_index), "wb") as file:
            file.write(struct.pack("<%df" % len(samples), *samples))
        side = figure("nv/json/bin:nv/cold/sample_times", "")
        side["data"] = [{"name": "filename", "type": "string",
                         "value": "%s-bin/%d.bin" % (os.path.basename(out), state_index)},
                        {"name": "size", "type": "int64", "value": str(len(samples))}]
        state["summaries"].append(side)
    return state


def main():
    chosen, devs, _, out, binary = parse(sys.argv[1:])
    results, count = [], 0
    for name, stated in chosen:
        if name == os.environ.get("NVB_CRASH"):
            os.kill(os.getpid(), signal.SIGABRT)
        if name == os.environ.get("NVB_HANG"):
            time.sleep(60)
        states = []
        for device in devs:
            for axes in combinations(name, stated):
                states.append(measure(name, axes, device, out, binary, count))
                count += 1
        results.append({"name": name, "index": len(results), "devices": devs, "states": states})
        if name == os.environ.get("NVB_GARBAGE"):
            with open(out, "w") as file:
                file.write("# Devices\n{")
            return
    if out:
        with open(out, "w") as file:
            json.dump({"meta": {"version": {"json": {"major": 1, "minor": 0, "patch": 0}}},
                       "devices": devices(), "benchmarks": results}, file, indent=2)


main()
