"""Programs of others: what the gate says of each as it is, with a change put in, and of a wrong input.

  run [NAME ...]   prepares the programs, runs the commands and replaces their lines of the record
  table            writes the record's table between the marks of perf/guide/tried.md
  check            whether it is current

The programs come from Debian (hyperfine, sqlite3, xz-utils, golang-go, librust-half-dev, librust-criterion-dev,
valgrind, libspdlog-dev), from Python's index (ci/setup: pytest-benchmark) and from git. `graphs`, `streams` and
`kernels` need a GPU; where only nvcc is, they are built, and --work can be taken to a machine that has one. A
change that is put in is large, so that a busy machine shows it, too; where instructions are counted it is smaller.
What is equal can come out wrong on such a machine, which ends the run with 1.

Exit codes: 0; 1 if a command did not say what it should, or `check` finds the table stale; 2, with one line, for a
program that is missing or does not build.
"""
import contextlib
import json
import re
import shutil
import sys
from pathlib import Path

from .demonstration import Demonstration, clone, first_line, need, number_in, sh
from .foreign_cuda import graphs, kernels, streams
from .real_commits import LIBRARIES, SUBMODULES, clone_of, read_record
from .running import CACHE, ROOT, Failed, build, circumstances, configure, marked, run, write_whole
from .sources import changed_for_now, replaced

RECORD = ROOT / "correctness/perf/gate/data/foreign-programs.jsonl"
CRATES = Path("/usr/share/cargo/registry")
MARKDOWN = "2c3f71ec46c4259ca375fb40c9cd47385c6c304e"
LOOKUP = "  for (auto _ : state) {{\n    for (int i = 0; i < {}; ++i) {{"
CARGO = """[package]
name = "half-bench"
version = "0.1.0"
edition = "2018"
[dependencies]
half = {{ version = "={half}", features = ["std"] }}
[dev-dependencies]
criterion = "={criterion}"
[[bench]]
name = "convert"
harness = false
[[bench]]
name = "thrice"
harness = false
"""
QUERY = ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<{}) SELECT sum(x) FROM c")


def sqlite(options, work):
    need("hyperfine", "sqlite3")
    versions = [number_in(first_line([program, "--version"])) for program in ("sqlite3", "hyperfine")]
    shown = Demonstration(options, "sqlite3", "any command", "sqlite3 {} by hyperfine {}".format(*versions),
                          work / "sqlite3")
    for file, rows in (("before", 100000), ("again", 100000), ("after", 1000000)):
        sh(f"hyperfine -N -r 15 -n sum --export-json {file}.json 'sqlite3 :memory: \"{QUERY.format(rows)}\"' "
           ">/dev/null", shown.folder)
    sh("hyperfine -N -i -r 2 --export-json failing.json 'sqlite3 :memory: nonsense' >/dev/null 2>&1", shown.folder)
    shown.says("as it is", ["compare", "before.json", "again.json"], 0, " sum ")
    shown.says("ten times the rows", ["compare", "before.json", "after.json"], 1, "slower +sum ")
    shown.says("a failing command", ["compare", "failing.json", "failing.json"], 2, "ended with exit code")
    return shown


def go_strings(options, work):
    need("go")
    shown = Demonstration(options, "strings", "any command",
                          f"Go's package strings {number_in(first_line(['go', 'version']))}", work / "strings")
    bench = "go test -run '^$' -bench '^BenchmarkCountByte$/^4096$' -benchtime 0.2s strings"
    for turn in range(8):
        for side, debug in (("before", ""), ("again", ""), ("after", "cpu.all=off")):
            (shown.folder / side).mkdir(exist_ok=True)
            sh(f"{bench} > {side}/{turn}.txt", shown.folder, GODEBUG=debug)
    sh("go test -run '^$' -bench '?' strings > failed.txt 2>&1 || true", shown.folder)
    shown.says("as it is", ["compare", "before", "again"], 0, "CountByte")
    shown.says("without vector instructions", ["compare", "before", "after"], 1, "slower +\\S*CountByte")
    shown.says("a pattern that Go refuses", ["compare", "failed.txt", "before/0.txt"], 2, "reports a failure")
    return shown


def half(options, work):
    need("cargo")
    found = {name: folder.name.removeprefix(f"{name}-") for name in ("half", "criterion")
             for folder in CRATES.glob(f"{name}-[0-9]*")}
    if len(found) < 2:
        raise Failed("Debian's librust-half-dev and librust-criterion-dev are not installed")
    shown = Demonstration(options, "half", "any command",
                          f"the crate half {found['half']} by criterion {found['criterion']}", work / "half")
    for folder in (".cargo", "src", "benches"):
        (shown.folder / folder).mkdir(exist_ok=True)
    (shown.folder / ".cargo/config.toml").write_text(
        f'[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "{CRATES}"\n')
    (shown.folder / "Cargo.toml").write_text(CARGO.format(**found))
    (shown.folder / "src/lib.rs").write_text("")
    text = (CRATES / f"half-{found['half']}/benches/convert.rs").read_text()
    (shown.folder / "benches/convert.rs").write_text(text)
    (shown.folder / "benches/thrice.rs").write_text(replaced("convert.rs", (
        "b.iter(|| large_buffer.convert_from_f32_slice(&large))",
        "b.iter(|| for _ in 0..3 { large_buffer.convert_from_f32_slice(&large) })"))(text))
    bench = ("cargo bench -q --offline --bench {} -- --warm-up-time 1 --measurement-time 1 --sample-size 10 "
             "'convert_from_f32_slice/large'")
    for side in ("before", "again", "after"):
        shutil.rmtree(shown.folder / side, ignore_errors=True)
    for turn in range(6):  # a process, so a launch, each
        for side, name in (("before", "convert"), ("again", "convert"), ("after", "thrice")):
            sh(bench.format(name), shown.folder)
            shutil.copytree(shown.folder / "target/criterion", shown.folder / side / str(turn))
    sides = {side: ",".join(f"{side}/{turn}" for turn in range(6)) for side in ("before", "again", "after")}
    shown.says("as it is", ["compare", sides["before"], sides["again"]], 0, "slice")
    shown.says("each slice converted thrice", ["compare", sides["before"], sides["after"]], 1, "^slower .*slice")
    sample = next((shown.folder / "before/0").rglob("new/sample.json"))
    sample.write_text(sample.read_text()[:100])
    shown.says("a file cut off", ["compare", "before/0", "again/0"], 2, "sample.json")
    return shown


def markdown(options, work):
    tools = CACHE / "bench-tools"
    if not (tools / "pytest_benchmark").exists():
        raise Failed("pytest-benchmark is not installed; run ci/setup")
    tree = clone(options, work, "markdown-it-py", "https://github.com/executablebooks/markdown-it-py", MARKDOWN)
    version = next(tools.glob("pytest_benchmark-*")).name.split("-")[1].removesuffix(".dist")
    shown = Demonstration(options, "markdown-it-py", "any command",
                          f"markdown-it-py {MARKDOWN[:10]} by pytest-benchmark {version}", work / "markdown")
    run([sys.executable, "-m", "pip", "install", "--quiet", "--target", shown.folder / "needs", "mdurl", "psutil"])
    environment = {"PYTHONPATH": f"{tools}:{tree}:{shown.folder / 'needs'}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                   "PYTEST_PLUGINS": "pytest_benchmark.plugin", "PYTHONDONTWRITEBYTECODE": "1"}
    bench = (f"python3 {{}} -m pytest -q -p no:cacheprovider --benchmark-max-time=0.01 --benchmark-min-rounds=3 "
             f"--benchmark-json={{}} {tree}/benchmarking/bench_core.py")
    for turn in range(6):
        for side, words in (("before", ""), ("again", ""), ("after", "-X tracemalloc=5")):
            (shown.folder / side).mkdir(exist_ok=True)
            sh(bench.format(words, f"{side}/{turn}.json") + " >/dev/null", shown.folder, **environment)
    shown.says("as it is", ["compare", "before", "again"], 0, "test_spec")
    shown.says("run under tracemalloc", ["compare", "before", "after"], 1, "slower .*test_spec")
    (shown.folder / "cut.json").write_text((shown.folder / "before/0.json").read_text()[:2000])
    shown.says("a file cut off", ["compare", "cut.json", "before/0.json"], 2, "cut.json")
    return shown


def snappy(options, work):
    """A repository of snappy's last commit, built."""
    tree = work / "snappy"
    if (tree / "build/snappy_benchmark").exists():
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    run(["git", "clone", "-q", clone_of("snappy", options), tree])
    run(["git", "checkout", "-q", "-B", "main", LIBRARIES["snappy"].last], tree=tree)
    for folder, text in SUBMODULES.items():
        run(["git", "rm", "-q", "--cached", folder], tree=tree)
        shutil.rmtree(tree / folder, ignore_errors=True)
        (tree / folder).mkdir(parents=True)
        (tree / folder / "CMakeLists.txt").write_text(text)
    (tree / ".gitmodules").unlink()
    (tree / ".gitignore").write_text("build/\nresults/\nbaselines/\n")
    commit(tree, "The installed libraries in place of submodules")
    run(["git", "tag", "packaged"], tree=tree)
    configure(tree, tree / "build", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
              "-DSNAPPY_BUILD_TESTS=OFF")
    build(tree / "build", "snappy_benchmark")
    return tree


def commit(tree, message):
    run(["git", "add", "-A"], tree=tree)
    run(["git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", message], tree=tree)


@contextlib.contextmanager
def slowed(tree):
    """Each call decompresses twice, in a commit of its own; afterwards the tree is as it was."""
    planted = LIBRARIES["snappy"].plant
    try:
        planted(tree, 1)
        commit(tree, "Decompress twice")
        build(tree / "build", "snappy_benchmark")
        yield
    finally:
        run(["git", "reset", "-q", "--hard", "packaged"], tree=tree)
        build(tree / "build", "snappy_benchmark")


def of_snappy(options, work, name, point):
    tree = snappy(options, work)
    shown = Demonstration(options, name, point, "snappy " + run(["git", "describe", "--tags", LIBRARIES["snappy"].last],
                                                                tree=tree).stdout.strip(), tree)
    shutil.rmtree(tree / "baselines")
    (tree / "baselines").mkdir()
    return shown


BENCH = ["--bench", "build/snappy_benchmark"]
ROW = "BM_UFlat/0/1"


def metrics(options, work):
    shown = of_snappy(options, work, "metrics", "several metrics")
    gate = ["gate", f"^{ROW}(/|$)", *BENCH, "--budget-s", "20"]
    wanted = ["--metric", "memory,size,instructions"]
    shown.says("accepted", [*gate, *wanted], 0, "uncompared", keep=False)
    shown.accept()
    shown.says("as it is", gate, 0, "PASS")
    with slowed(shown.folder):
        # Without the time, whose verdict others move who use the CPU.
        shown.says("it decompresses twice", ["gate", f"{ROW}/(memory|instructions)", *BENCH, "--stored"], 1,
                   "slower .*/instructions")
    shown.says("no such metric", [*gate, "--metric", "allocs_per_iter"], 2, "--metric allocs_per_iter")
    return shown


def limits(options, work):
    shown = of_snappy(options, work, "limits", "absolute limits")
    gate = ["gate", "size", *BENCH, "--metric", "size", "--budget-s", "5"]
    shown.says("as it is", [*gate, "--limit", "size<1MB"], 0, "kept: ")
    shown.says("a limit that it exceeds", [*gate, "--limit", "size<50kB"], 1, "exceeded: ")
    shown.says("another unit than a size", [*gate, "--limit", "size<1 parsec"], 2, "parsec")
    return shown


def instructions(options, work):
    need("valgrind")
    tree = clone(options, work, "benchmark", LIBRARIES["benchmark"].url, LIBRARIES["benchmark"].last)
    shown = Demonstration(options, "instructions", "instruction counts", "map_test of Google Benchmark "
                          + run(["git", "describe", "--tags"], tree=tree).stdout.strip(), work / "instructions")
    for side, size in (("before", "size"), ("after", "size + size / 64")):
        if (shown.folder / side).exists():
            continue
        file = "test/map_test.cc"
        for_now = changed_for_now(tree, file, replaced(file, (LOOKUP.format("size"), LOOKUP.format(size))))
        with for_now if side == "after" else contextlib.nullcontext():
            configure(tree, tree / "build", "-DCMAKE_BUILD_TYPE=Release", "-DBENCHMARK_ENABLE_GTEST_TESTS=OFF",
                      "-DBENCHMARK_ENABLE_WERROR=OFF")
            build(tree / "build", "map_test")
            shutil.copy(tree / "build/test/map_test", shown.folder / side)
    shutil.copy(shown.folder / "before", shown.folder / "again")
    compare = ["compare", "--metric", "instructions", "--filter", "^MapFixture/Lookup/4096/instructions$", "--by-time",
               "--budget-s", "30", "--exec", "./before", "--exec"]
    shown.says("as it is", [*compare, "./again"], 0, "same .*/instructions")
    shown.says("a 64th more look-ups", [*compare, "./after"], 1, "slower .*/instructions")
    shown.says("counted in milliseconds", [*compare[:2], "instructions=ms", *compare[3:], "./after"], 2,
               "counted, not in ms")
    return shown


def rows(options, work):
    shown = of_snappy(options, work, "rows", "row against row")
    compare = ["compare", "--exec", "build/snappy_benchmark", "--budget-s", "20", "--rows"]
    shown.says("html against jpg", [*compare, "BM_UFlat/0/1", "BM_UFlat/2/1"], 0, "faster")
    shown.says("jpg against html", [*compare, "BM_UFlat/2/1", "BM_UFlat/0/1"], 1, "slower")
    shown.says("no such row", [*compare, "BM_UFlat/0/1", "BM_UFlt/2/1"], 2, "did you mean")
    return shown


def bimodal(options, work):
    need("xz")
    shown = Demonstration(options, "xz", "two modes", f"xz {number_in(first_line(['xz', '--version']))}", work / "xz")
    (shown.folder / "text").write_bytes(b"".join(str(n * n).encode() for n in range(150000)))
    command = "xz -c -{} text >/dev/null"
    gate = ["gate", "xz/cpu", "--name", "xz", "--launches", "16", "--budget-s", "60", "--exec"]
    shown.says("at -1", [*gate, command.format(1)], 0, "uncompared .*xz/cpu")
    by_chance = "$((1 + 5 * ($(od -An -N1 -tu1 /dev/urandom) % 2)))"
    shown.says("at -1 or -6, by chance", [*gate, command.format(by_chance)], 0, "two modes")
    shown.says("another unit than a level", [*gate, command.format("x")], 2, "command xz")
    return shown


def override(options, work):
    shown = of_snappy(options, work, "override", "accepted slowdowns")
    gate = ["gate", f"{ROW}/instructions", *BENCH, "--metric", "instructions", "--base", "packaged", "--budget-s",
            "60"]
    shown.says("as it is", gate, 0, "PASS")
    with slowed(shown.folder):
        shown.says("without a trailer", gate, 1, "slower .*/instructions")
        commit(shown.folder, "Say why\n\nRatchet-Accept: /instructions$ -60 % because it decompresses twice")
        shown.says("with a trailer", gate, 0, "accepts it, up to")
        commit(shown.folder, "Say nothing\n\nRatchet-Accept: /instructions$ it decompresses twice")
        shown.says("a trailer of another form", gate, 0, "accepts nothing")
    return shown


def explained(options, work):
    shown = of_snappy(options, work, "explain", "profiles")
    explain = ["explain", f"^snappy_benchmark/{ROW}$", *BENCH, "--base", "packaged", "--tool", "callgrind"]
    shown.says("as it is", explain, 0, "executes no more instructions")
    with slowed(shown.folder):
        shown.says("it decompresses twice", explain, 0, "DecompressBranchless")
        shown.says("no such row", ["explain", "BM_UFlt", *explain[2:]], 2, "selects no row")
    return shown


def many(options, work):
    """A file of snappy's, whose rows stand in it under 100 000 names."""
    shown = of_snappy(options, work, "rows of a file", "100 000 rows")
    run([shown.folder / "build/snappy_benchmark", "--benchmark_min_time=0.001", f"--benchmark_filter=^{ROW}$",
         "--benchmark_out=one.json", "--benchmark_out_format=json"], tree=shown.folder)
    file = json.loads((shown.folder / "one.json").read_text())
    row = file["benchmarks"][0]
    (shown.folder / "results").mkdir(exist_ok=True)
    for side, gone in (("a", None), ("b", None), ("c", 77777)):
        file["benchmarks"] = [{**row, "name": f"{row['name']}/{i}", "run_name": f"{row['name']}/{i}"}
                              for i in range(100000) if i != gone]
        (shown.folder / f"results/{side}.json").write_text(json.dumps(file))
    shown.says("as it is", ["compare", "results/a.json", "results/b.json"], 0, r"\(exit 0\)")
    shown.says("a row is gone", ["compare", "results/a.json", "results/c.json"], 2, "^missing .*77777")
    text = (shown.folder / "results/a.json").read_text()
    (shown.folder / "results/cut.json").write_text(text[:len(text) // 2])
    shown.says("a file cut off", ["compare", "results/cut.json", "results/a.json"], 2, "cut.json")
    return shown


DEMONSTRATIONS = {"sqlite3": sqlite, "strings": go_strings, "half": half, "markdown-it-py": markdown,
                  "metrics": metrics, "limits": limits, "instructions": instructions, "rows": rows, "xz": bimodal,
                  "override": override, "explain": explained, "many": many, "graphs": graphs, "streams": streams,
                  "kernels": kernels}


def table(record):
    cells = [["what", "program", "as it is", "changed", "found", "a wrong input", "what is said"], ["---"] * 7]
    for name in DEMONSTRATIONS:
        for line in record:
            if line["name"] != name:
                continue
            right, planted, wrong = line["steps"][0], *line["steps"][-2:]
            cells.append([line["point"], line["program"], said(right), planted["what"], said(planted), wrong["what"],
                          said(wrong)])
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def said(step):
    """The exit code; of a row its verdict and change, else the line, without this program's name and empty cells."""
    text = re.sub("( -)+(?= )", "", re.sub("^ratchet: ", "", step["said"]))
    row = re.match(r"(same|faster|slower|undecided) +\S.*? ([-+][0-9.]+ %)", text)
    return f"{step['exit']}: {f'{row[1]}, {row[2]}' if row else text[:200]}".replace("|", "\\|")


def add_options(parser):
    parser.add_argument("what", choices=["run", "table", "check"])
    parser.add_argument("names", nargs="*", help=f"of the demonstrations ({', '.join(DEMONSTRATIONS)}); default: all")
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER",
                        help="clones of the programs, by name; otherwise from GitHub")
    parser.add_argument("--work", type=Path, default=ROOT / "build/foreign-programs", metavar="FOLDER",
                        help="clones, builds and results; builds there are used again")
    parser.add_argument("--arch", default="90", help="the GPU's architecture (%(default)s)")
    parser.add_argument("--ratchet", type=Path, default=ROOT / "build/perf/ratchet", metavar="FILE")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE", help="JSON lines, one a program")


def run_experiment(options):
    unknown = set(options.names) - set(DEMONSTRATIONS)
    if unknown:
        raise Failed(f"nothing is named {', '.join(sorted(unknown))}; choose from {', '.join(DEMONSTRATIONS)}")
    options.work, options.ratchet = options.work.resolve(), options.ratchet.resolve()
    if options.source:
        options.source = options.source.resolve()
    if options.what == "run":
        for name in options.names or DEMONSTRATIONS:
            here = circumstances()
            version = run([options.ratchet, "--version"], brief=True).stdout.split(None, 1)[1].strip()
            shown = DEMONSTRATIONS[name](options, options.work)
            line = {**shown.line, "name": name, "machine": ", ".join(filter(None, (here["machine"], shown.on))),
                    "date": here["date"][:10], "version": version}
            print(json.dumps(line), flush=True)
            record = [other for other in read_record(options.record) if other["name"] != name] + [line]
            write_whole(options.record, "".join(json.dumps(each) + "\n" for known in DEMONSTRATIONS for each in record
                                                if each["name"] == known))
        return 0
    record = read_record(options.record)
    if not record:
        raise Failed(f"{options.record} has no results; run python3 ci/lab foreign-programs run")
    current = marked(ROOT / "perf/guide/tried.md", "foreign-programs", table(record), options.what == "table")
    if not current and options.what == "check":
        raise Failed("the table is stale; run python3 ci/lab foreign-programs table", 1)
    return 0
