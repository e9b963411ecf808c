"""Hands recorded launches to ratchet and to other tools' own programs, and reads their verdicts.

A comparison has a name, and the samples of A and of B, launch by launch; each tool gets all of them at once where
it compares many benchmarks, and answers with which it calls slower.
"""
import json
import re
import shutil
import statistics
from pathlib import Path

from .running import Failed
from .running import run as run_any

HERE = Path(__file__).resolve().parent / "replay"
RATCHET_CODES = (lambda code: code == 1), (lambda code: code == 3)


class Missing(Failed):
    """A tool that is not here, or one that did not answer as expected."""


def run(command, fine=(0,), tree=None, env=None):
    """Without a width, tools cut their tables."""
    try:
        return run_any(command, fine, tree, {"COLUMNS": "200", **(env or {})}, brief=True)
    except Failed as failed:
        raise Missing(str(failed)) from failed


def installed(name, options, package):
    found = shutil.which(name, path=str(options.tools) if options.tools else None)
    if not found:
        raise Missing(f"{name} is not installed ({package})")
    return found


def python_version(options, package):
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return run([installed("python3", options, "Python"), "-c", code]).stdout.strip()


def debian_version(package):
    return run(["dpkg-query", "-W", "-f=${Version}", package]).stdout.strip()


def read_blocks(path):
    """Per row, the blocks in the order of their numbers: (samples of A, samples of B)."""
    rows = {}
    for line in path.read_text().splitlines():
        if line.strip():
            read = json.loads(line)
            for launch in read if isinstance(read, list) else [read]:
                rows.setdefault(launch["row"], {}).setdefault(launch["block"], {})[launch["side"]] = launch["samples"]
    return {row: [(block["A"], block["B"]) for _, block in sorted(blocks.items())] for row, blocks in rows.items()}


def comparisons(rows, blocks, most=None):
    """Runs of so many consecutive blocks, by name: the samples of A and of B, launch by launch."""
    cut = {}
    for number, row in enumerate(sorted(rows)):
        for begin in range(0, len(rows[row]) - blocks + 1, blocks):
            part = rows[row][begin:begin + blocks]
            cut[f"row{number}_block{begin:03d}"] = ([a[:most] for a, _ in part], [b[:most] for _, b in part])
    return cut


def pooled(cut, side):
    return {name: [sample for launch in both[side] for sample in launch] for name, both in cut.items()}


def lengthened(cut, factor):
    return {name: (a, [[factor * sample for sample in launch] for launch in b]) for name, (a, b) in cut.items()}


def marked(cut, verdicts, slower, undecided=lambda verdict: False):
    """Each comparison as "slower", "undecided" or "". The tool must have judged every one."""
    unjudged = set(cut) - set(verdicts)
    if unjudged:
        raise Missing(f"{len(unjudged)} of {len(cut)} comparisons have no verdict in the tool's output")
    return {name: "slower" if slower(verdicts[name]) else "undecided" if undecided(verdicts[name]) else ""
            for name in cut}


def cells(printed):
    return [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in printed.splitlines()
            if line.startswith("|")]


def google_benchmark(samples_by_name):
    """A result file with repetitions, and the medians that Google Benchmark adds to them."""
    rows = []
    for name, samples in samples_by_name.items():
        entries = [("iteration", "", sample) for sample in samples]
        entries += [("aggregate", "_median", statistics.median(samples))] * (len(samples) > 1)
        for kind, ending, seconds in entries:
            rows.append({"name": name + ending, "run_name": name, "run_type": kind, "iterations": 1, "time_unit": "ns",
                         "repetitions": len(samples), "real_time": 1e9 * seconds, "cpu_time": 1e9 * seconds,
                         **({"aggregate_name": "median"} if ending else {})})
    return json.dumps({"context": {"num_cpus": 1}, "benchmarks": rows})


def compare_py(cut, folder, options):
    for side, name in enumerate(("before", "after")):
        (folder / f"{name}.json").write_text(google_benchmark(pooled(cut, side)))
    run(["/usr/bin/python3", options.compare_py, "-d", folder / "report.json", "benchmarks", folder / "before.json",
         folder / "after.json"])
    report = {row["name"]: row for row in json.loads((folder / "report.json").read_text())}
    verdicts = {name: (report[name]["utest"]["time_pvalue"], report[name + "_median"]["measurements"][0]["time"])
                for name in cut if name in report}
    return marked(cut, verdicts, lambda verdict: verdict[0] < 0.05 and verdict[1] > 0)


def nvbench(cut, folder, options, program):
    """Summaries as nvbench writes them. A clock rate that never changes, for the recording has none."""
    tag = "nv/cold/time/gpu/"
    for side in (0, 1):
        states = []
        for name, samples in pooled(cut, side).items():
            low, median, high = statistics.quantiles(samples, method="inclusive")
            mean, deviation = statistics.mean(samples), statistics.stdev(samples)
            values = {tag + "min": min(samples), tag + "max": max(samples), tag + "mean": mean,
                      tag + "stdev/absolute": deviation, tag + "stdev/relative": deviation / mean, tag + "q1": low,
                      tag + "median": median, tag + "q3": high, tag + "iqr/absolute": high - low,
                      tag + "iqr/relative": (high - low) / median, "nv/cold/sm_clock_rate/mean": 1e9}
            summaries = [{"tag": key, "name": key, "data": [{"name": "value", "type": "float64", "value": str(value)}]}
                         for key, value in values.items()]
            states.append({"name": f"Device=0 Block={name}", "device": 0, "is_skipped": False, "summaries": summaries,
                           "axis_values": [{"name": "Block", "type": "string", "value": name}]})
        axis = {"name": "Block", "type": "string", "flags": "", "values": []}
        bench = {"name": "replay", "index": 0, "devices": [0], "axes": [axis], "states": states}
        (folder / f"{'ab'[side]}.json").write_text(json.dumps(
            {"meta": {"version": {"json": {"string": "1.0.0"}}}, "devices": [{"id": 0, "name": "recorded"}],
             "benchmarks": [bench]}))
    done = run([installed(program, options, "PyPI: cuda-bench[compare]"), "--no-color", folder / "a.json",
                folder / "b.json"], range(256))  # the older one ends with the count of what differs
    words = {line[0]: re.search(r"SLOW|FAST|SAME|AMBG|\?\?\?\?", line[-1]) for line in cells(done.stdout)}
    return marked(cut, {name: word[0] for name, word in words.items() if word},
                  lambda word: word == "SLOW", lambda word: word == "AMBG")


def criterion(cut, folder, options):
    """Its own harness, in a program whose iter_custom states the recorded times."""
    home = options.cargo_home.resolve()
    home.mkdir(parents=True, exist_ok=True)
    for name in ("Cargo.toml", "replay.rs"):  # there, for cargo writes beside them
        if not (home / name).exists() or (home / name).read_bytes() != (HERE / name).read_bytes():
            shutil.copy(HERE / name, home)
    run(["cargo", "build", "--target-dir", "target", "--release", "--offline", "--quiet",
         "--config", 'source.crates-io.replace-with="debian"',
         "--config", 'source.debian.directory="/usr/share/cargo/registry"'], tree=home)
    for side, baseline in enumerate(("--save-baseline", "--baseline")):
        (folder / "samples").write_text("".join(
            f"{name} {' '.join(str(round(1e9 * sample)) for sample in samples)}\n"
            for name, samples in pooled(cut, side).items()))
        printed = run([home / "target/release/replay", "--bench", "--noplot", baseline, "before"], tree=folder,
                      env={"REPLAY": str(folder / "samples"), "CRITERION_HOME": str(folder / "criterion")}).stdout
    verdicts, name = {}, None
    for line in printed.splitlines():
        name = next(iter(re.findall(r"^replay/(\S+)", line)), name)
        word = re.search(r"Performance has (regressed|improved)|No change in performance|within noise", line)
        if word:
            verdicts[name] = word[0]
    return marked(cut, verdicts, lambda word: word.endswith("regressed"))


def asv(cut, folder, options):
    """A repository of two commits, and its results folder with every sample."""
    commits = []
    git = ["git", "-C", folder, "-c", "user.name=replay", "-c", "user.email=replay@localhost"]
    run([*git, "init", "-q", "-b", "main"])
    (folder / "results/recorded").mkdir(parents=True)
    (folder / "asv.conf.json").write_text(json.dumps(
        {"version": 1, "project": "replay", "repo": ".", "branches": ["main"]}))
    (folder / "results/recorded/machine.json").write_text('{"machine": "recorded", "version": 1}')
    (folder / "results/benchmarks.json").write_text(json.dumps({"version": 2, **{
        name: {"name": name, "params": [], "param_names": [], "type": "time", "unit": "seconds", "version": "1"}
        for name in cut}}))
    columns = ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b", "stats_q_25",
               "stats_q_75", "stats_number", "stats_repeat", "samples"]
    for side in (0, 1):
        run([*git, "commit", "-q", "--allow-empty", "-m", "AB"[side]])
        commits.append(run([*git, "rev-parse", "HEAD"]).stdout.strip())
        results = {}
        for name, samples in pooled(cut, side).items():
            low, median, high = statistics.quantiles(samples, method="inclusive")
            results[name] = [[median], [], "1", 0, 0, [min(samples)], [max(samples)], [low], [high], [1],
                             [len(samples)], [samples]]
        (folder / f"results/recorded/{commits[side][:8]}-replay.json").write_text(json.dumps(
            {"version": 2, "commit_hash": commits[side], "env_name": "replay", "date": side, "python": "3",
             "params": {"machine": "recorded"}, "requirements": {}, "env_vars": {}, "result_columns": columns,
             "results": results, "durations": {}}))
    printed = run([installed("asv", options, "PyPI: asv"), "compare", *commits], tree=folder).stdout
    return marked(cut, {line[-1]: line[0] for line in cells(printed)}, lambda mark: mark == "+")


def hyperfine(cut, folder, options):
    """Its exported results, a launch one run of a command, to the test that its repository ships beside it."""
    if not options.welch or not options.welch.exists():
        raise Missing("hyperfine's scripts/welch_ttest.py is not installed; name it with --welch")
    verdicts, file = {}, folder / "hyperfine.json"
    for name, both in cut.items():
        times = [[sum(samples) for samples in side] for side in both]
        file.write_text(json.dumps({"results": [{"command": command, "times": runs, "mean": statistics.mean(runs)}
                                                for command, runs in
                                                zip(("./before", "./after"), times, strict=True)]}))
        words = run([installed("python3", options, "Python with scipy"), options.welch, file]).stdout
        found = re.search(r"There is a difference|almost the same", words)
        if found:
            verdicts[name] = found[0], statistics.mean(times[1]) > statistics.mean(times[0])
    return marked(cut, verdicts, lambda verdict: verdict == ("There is a difference", True))


def pytest_benchmark(cut, folder, options, limit):
    shutil.copy(HERE / "pytest_replay.py", folder / "test_replay.py")
    command = [installed("python3", options, "Python"), "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "--benchmark-timer=test_replay.timer", "test_replay.py"]
    for side, flags in enumerate((["--benchmark-save=before"],
                                  ["--benchmark-compare", f"--benchmark-compare-fail={limit}"])):
        (folder / "samples.json").write_text(json.dumps(pooled(cut, side)))
        done = run([*command, *flags], (0, 1), tree=folder,
                   env={"REPLAY": str(folder / "samples.json"), "PYTHONPATH": str(folder)})
    printed = done.stdout + done.stderr
    judged = {name: "" for name in re.findall(r"^test_block\[(\w+)\] \(NOW\)", printed, re.M)}
    for name, words in re.findall(r"^\s*test_block\[(\w+)\] \(\S+\) - (Field .* has failed)", printed, re.M):
        judged[name] = words
    if done.returncode != (1 if any(judged.values()) else 0):
        raise Missing(f"pytest ended with exit code {done.returncode}, but its output says otherwise")
    return marked(cut, judged, bool)


def ratchet_files(cut, folder, options):
    codes = {}
    for name, both in cut.items():
        for side, launches in zip(("before", "after"), both, strict=True):
            shutil.rmtree(folder / side, ignore_errors=True)
            (folder / side).mkdir()
            for number, samples in enumerate(launches):
                (folder / side / f"{number}.json").write_text(google_benchmark({"row": samples}))
        codes[name] = run([options.ratchet, "compare", folder / "before", folder / "after"], (0, 1, 3)).returncode
    return marked(cut, codes, *RATCHET_CODES)


def ratchet_pairs(cut, folder, options):
    """A comparison takes as many pairs as it asks for, and the next one goes on behind it; one that finds too few
    left is none. Its name is that of its first pair; which pairs it took is left in options.taken."""
    codes, options.taken = {}, {}
    for row in sorted({name.split("_")[0] for name in cut}):
        blocks = [name for name in sorted(cut) if name.startswith(row + "_")]
        for side in (0, 1):
            (folder / "ab"[side]).mkdir(exist_ok=True)
            shutil.copy(HERE / "launch_replay.py", folder / "ab"[side] / "bench")
            (folder / "ab"[side] / "seconds").write_text(
                json.dumps([statistics.mean(cut[name][side][0]) for name in blocks]))
        begin = 0
        while begin < len(blocks):
            for side in "ab":
                (folder / side / "next").write_text(str(begin))
            code = run([options.ratchet, "compare", "--exec", folder / "a/bench", "--exec", folder / "b/bench",
                        "--by-time", "--quiet", "--results", folder / "results"], (0, 1, 2, 3)).returncode
            end = max(int((folder / side / "next").read_text()) for side in "ab")
            if end > len(blocks):
                break
            if code == 2 or end == begin:
                raise Missing(f"ratchet compare --exec ended with {code} after {end - begin} pairs")
            codes[blocks[begin]], options.taken[blocks[begin]] = code, blocks[begin:end]
            begin = end
    return marked(codes, codes, *RATCHET_CODES)
