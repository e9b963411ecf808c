"""Real commits of well-known libraries, each compared with its parent: verdicts, rows of identical work, false alarms.

  run [NAME ...]        compares the commits of a library, and its last one with slowdowns of about 2 and 5 % put into
                        a function; replaces the library's lines of the record
  table                 writes the record's table between the marks of perf/guide/evaluation.md
  check                 whether it is current

Both builds of a commit are made alike: Release, with the installed Google Benchmark. Of both, the object files are
compared byte for byte. A commit that leaves all of them as they were has not touched code that runs, so each slower or
faster row of it is a false alarm. The record names every such row, whatever its commit changed.

Exit codes: 0; 1 if `check` finds it stale; 2, with one line, for a clone, a build or a comparison that failed.
"""
import json
import os
import shutil
import time
from collections import Counter, namedtuple
from pathlib import Path

from .running import ROOT, Failed, build, circumstances, configure, gate_result, marked, run, write_whole
from .sources import changed, replaced

RECORD = ROOT / "correctness/perf/gate/data/real-commits.jsonl"
# A folder of Google Benchmark's sources, as a submodule, becomes the installed package; likewise GoogleTest.
PACKAGE = """find_package({package} REQUIRED)
foreach(name {names})
  if(NOT TARGET ${{name}})
    add_library(${{name}} INTERFACE)
    target_link_libraries(${{name}} INTERFACE {package}::${{name}})
  endif()
endforeach()
"""
SUBMODULES = {"third_party/benchmark": PACKAGE.format(package="benchmark", names="benchmark benchmark_main"),
              "third_party/googletest": PACKAGE.format(package="GTest", names="gtest gmock")}

# url, the last of the commits, the program and its target, CMake's settings, the rows that are compared; the planted
# slowdown: an edit of one file by how rare the additional call is, and a row that it slows.
Library = namedtuple("Library", "url last program settings rows plant slowed submodules without",
                     defaults=({}, ()))


def repeated(path, result, name, parameters, arguments):
    """A function that does its work twice in one of `every` calls."""
    def plant(tree, every):
        head = f"{result} {name}({parameters}) {{"
        once = f"__attribute__((noipa)) {result} {name}_once({parameters})"
        changed(tree, path, replaced(path, (head, f"""{once};
{head}
  static unsigned calls = 0;
  if (++calls % {every} == 0) {name}_once({arguments});
  return {name}_once({arguments});
}}
{once} {{""")))
    return plant


def edited(path, old, new):
    """`new` in place of `old`, with one call or turn more in each EVERY."""
    return lambda tree, every: changed(tree, path, replaced(path, (old, new.replace("EVERY", str(every)))))


LIBRARIES = {
    "snappy": Library(
        "https://github.com/google/snappy", "6281a07b7e08629884ec93a89fea6e05c62e599c", "snappy_benchmark",
        ["-DSNAPPY_BUILD_TESTS=OFF"], r"^BM_\w+/[0-4](/1)?$",
        repeated("snappy.cc", "bool", "RawUncompress",
                 "const char* compressed, size_t compressed_length,\n                   char* uncompressed",
                 "compressed, compressed_length, uncompressed"),
        "^BM_UFlat/0/1$", SUBMODULES),
    "crc32c": Library(
        "https://github.com/google/crc32c", "2bbb3be42e20a0e6c0f7b39dc07dc863d9ffbc07", "crc32c_bench",
        ["-DCRC32C_BUILD_TESTS=OFF", "-DCRC32C_USE_GLOG=OFF", "-DCRC32C_INSTALL=OFF"],
        r"/(256|4096|65536|1048576)$",
        repeated("src/crc32c_portable.cc", "uint32_t", "ExtendPortable",
                 "uint32_t crc, const uint8_t* data, size_t size", "crc, data, size"),
        "/Portable/4096$", SUBMODULES),
    "zlib-ng": Library(
        "https://github.com/zlib-ng/zlib-ng", "94aacd8bd69b7bfafce14fbe7639274e11d92d51",
        "test/benchmarks/benchmark_zlib",
        ["-DZLIB_ENABLE_TESTS=ON", "-DZLIBNG_ENABLE_TESTS=OFF", "-DWITH_GTEST=OFF", "-DWITH_BENCHMARKS=ON"],
        r"^(adler32|crc32)/\w+/4096$|^adler32/c/(512|32768)$|^compare256/\w+/256$|^slide_hash/\w+/1024$|^compress_.*/(1|64)$",
        repeated("arch/generic/adler32_c.c", "Z_INTERNAL uint32_t", "adler32_c",
                 "uint32_t adler, const uint8_t *buf, size_t len", "adler, buf, len"),
        "^adler32/c/4096$"),
    "CRoaring": Library(
        "https://github.com/RoaringBitmap/CRoaring", "0489dd47c1ffcd5a43f90f44f5f10e92b4fceaec",
        "microbenchmarks/synthetic_bench",
        ["-DENABLE_ROARING_TESTS=OFF", "-DENABLE_ROARING_MICROBENCHMARKS=ON", "-DROARING_USE_CPM=OFF"],
        # The other rows divide a count by iterations that it does not grow with, or end while their timer is paused.
        r"^(r64|cpp)Contains(Hit|Miss)/(1000|100000)/(1|256)$",
        edited("src/roaring64.c", "bool roaring64_bitmap_contains(const roaring64_bitmap_t *r, uint64_t val) {",
               """static __attribute__((noipa)) bool again(const roaring64_bitmap_t *r, uint64_t val) {
    return roaring64_bitmap_contains(r, val);
}
bool roaring64_bitmap_contains(const roaring64_bitmap_t *r, uint64_t val) {
    if ((val * 0x9E3779B97F4A7C15 >> 32) % EVERY == 0) again(r, val + 1);"""),
        "^r64ContainsHit/1000/1$", without=("benchmarks/realdata",)),
    "benchmark": Library(
        "https://github.com/google/benchmark", "267a11154f14269384879dc7f6b8d25acb3684db", "test/basic_test",
        ["-DBENCHMARK_USE_BUNDLED_GTEST=OFF", "-DBENCHMARK_ENABLE_GTEST_TESTS=OFF", "-DBENCHMARK_ENABLE_WERROR=OFF"],
        r"^BM_(empty|spin_\w+/(8|512|8192)|pause_during)$",
        # Its loops are empty: any change of their code moves them by tens of percent.
        None, ""),
}
PLANTED = {"2 %": 50, "5 %": 20}


def clone_of(name, options):
    """A clone of the library: below --from, where there is one, else from its address."""
    clone = options.work / "clones" / name
    if not clone.exists():
        given = options.source / name if options.source else None
        run(["git", "clone", "-q", "--no-checkout", given if given and given.exists() else LIBRARIES[name].url, clone])
    return clone


def sources_of(name, commit, tree, options):
    """The sources of a commit, without a repository: its hash is no part of the build."""
    library, clone = LIBRARIES[name], clone_of(name, options)
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    # An index of its own, since the folder is no work tree of the clone.
    run(["git", f"--work-tree={tree}", "checkout", "-q", commit, "--", ".",
         *(f":(exclude){folder}" for folder in library.without)], tree=clone,
        env={"GIT_INDEX_FILE": str(options.work / f"{name}.index")})
    for folder, text in library.submodules.items():
        (tree / folder).mkdir(parents=True, exist_ok=True)
        (tree / folder / "CMakeLists.txt").write_text(text)


def built(name, tree):
    library = LIBRARIES[name]
    program = tree / "build" / library.program
    if not program.exists():
        configure(tree, tree / "build", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
                  *library.settings)
        build(tree / "build", Path(library.program).name)
    return program


def objects_of(tree):
    """The object files by name, without the tree's own folder in them."""
    return {str(file.relative_to(tree)): file.read_bytes().replace(str(tree).encode(), b"")
            for file in (tree / "build").rglob("*.o")}


def compared(before, after, name, rows, options, budget_s):
    """What the comparison of two trees says of the rows; those that the clock calls slower or faster by name."""
    results = options.work / "results" / f"{name}-{after.name}"
    shutil.rmtree(results, ignore_errors=True)
    library, load, start = LIBRARIES[name], os.getloadavg()[0], time.monotonic()
    done = run(
        [options.ratchet, "compare", "--exec", before / "build" / library.program, "--exec",
         after / "build" / library.program, "--filter", rows, "--budget-s", budget_s, "--results", results],
        fine=(0, 1, 2), tree=after, brief=True)
    if not (results / "gate.json").exists():
        raise Failed(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    rows = gate_result(results)["context"]["ratchet"]["rows"]
    old, new = objects_of(before), objects_of(after)
    kinds = Counter("identical" if row.get("identical_work") else row["verdict"] for row in rows.values())
    return {"rows": len(rows), **{kind: kinds[kind] for kind in sorted(kinds)},
            "objects_differ": sum(old.get(file) != new.get(file) for file in {*old, *new}), "of": len(new),
            "named": {row: [judged["verdict"], round(judged["ratio"], 4)] for row, judged in rows.items()
                      if judged["verdict"] in ("slower", "faster")},
            "budget_s": budget_s, "seconds": round(time.monotonic() - start, 1), "load": round(load, 1)}


def commits_of(name, options):
    """The last commits along first parents, the oldest first; its parent before it."""
    words = run(["git", "log", "--first-parent", f"-{options.commits + 1}", "--format=%H %s", LIBRARIES[name].last],
                tree=clone_of(name, options)).stdout.splitlines()[::-1]
    return [line.split(" ", 1) for line in words]


def tree_of(name, commit, options):
    return options.work / "trees" / name / commit[:10]


def run_commits(name, options):
    """A line for each commit. A commit that does not build is compared with nothing."""
    before = None
    for commit, subject in commits_of(name, options):
        tree = tree_of(name, commit, options)
        line = {"library": name, "commit": commit[:10], "subject": subject[:72]}
        try:
            if not (tree / "build" / LIBRARIES[name].program).exists():
                sources_of(name, commit, tree, options)
                built(name, tree)
        except Failed as failed:
            print(f"{name} {commit[:10]}: {failed}", flush=True)
            tree = None
        if before and tree:
            yield {**line, **compared(before, tree, name, LIBRARIES[name].rows, options, options.budget_s)}
        elif tree is None:
            yield {**line, "not_built": True}
        before = tree


def run_planted(name, options):
    """A line for each slowdown that is put into the last commit, of a row that it slows."""
    library, last = LIBRARIES[name], tree_of(name, LIBRARIES[name].last, options)
    if library.plant is None:
        return
    if not (last / "build" / library.program).exists():
        sources_of(name, library.last, last, options)
        built(name, last)
    for size, every in PLANTED.items():
        tree = last.with_name(f"planted-{every}")
        sources_of(name, library.last, tree, options)
        library.plant(tree, every)
        built(name, tree)
        yield {"library": name, "planted": size,
               **compared(last, tree, name, library.slowed, options, options.planted_budget_s)}


def read_record(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def keep(path, name, lines):
    """Replaces the lines of a library, libraries in the order of LIBRARIES."""
    record = [line for line in read_record(path) if line["library"] != name] + lines
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, "".join(json.dumps(line) + "\n" for known in LIBRARIES for line in record
                              if line["library"] == known))


def run_library(name, options):
    here = circumstances()
    version = run([options.ratchet, "--version"], brief=True).stdout.split(None, 1)[1].strip()
    # By kind, so that a later run of one kind keeps the other.
    lines = [line for line in read_record(options.record) if line["library"] == name]
    for kind, produce in (("commits", run_commits), ("planted", run_planted)):
        if kind not in options.kinds:
            continue
        lines = [line for line in lines if ("planted" in line) != (kind == "planted")]
        for line in produce(name, options):
            line.update(machine=here["machine"], date=here["date"][:10], version=version)
            print(json.dumps(line), flush=True)
            lines.append(line)
    keep(options.record, name, lines)


def total(lines, key):
    return sum(line.get(key, 0) for line in lines)


def table(record):
    """A library a line. A row that is called slower or faster is false if no object differs."""
    cells = [["library", "commits", "code differs", "identical", "where it differs", "same", "faster", "slower",
              "undecided", "false", "seconds", *(f"{size} found" for size in PLANTED)]]
    cells.append(["---"] * len(cells[0]))
    for name in LIBRARIES:
        own = [line for line in record if line["library"] == name and "rows" in line]
        planted = {line["planted"]: line for line in own if "planted" in line}
        lines = [line for line in own if "planted" not in line]
        if not lines:
            continue
        differ = [line for line in lines if line["objects_differ"]]
        false = sum(len(line["named"]) for line in lines if not line["objects_differ"])
        cells.append([f"[{name}]({LIBRARIES[name].url})", str(len(lines)), str(len(differ)),
                      *(f"{total(some, 'identical')}/{total(some, 'rows')}" for some in (lines, differ)),
                      *(str(total(lines, kind)) for kind in ("same", "faster", "slower", "undecided")),
                      str(false),
                      f"{sorted(line['seconds'] for line in lines)[len(lines) // 2]:.0f}",
                      *(f"{planted[size].get('slower', 0)}/{planted[size]['rows']}" if size in planted else "-"
                        for size in PLANTED)])
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def add_options(parser):
    parser.add_argument("what", choices=["run", "table", "check"])
    parser.add_argument("names", nargs="*", help=f"of the libraries to run ({', '.join(LIBRARIES)}); default: all")
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER",
                        help="clones of the libraries, by name; otherwise from GitHub")
    parser.add_argument("--work", type=Path, default=ROOT / "build/real-commits", metavar="FOLDER",
                        help="clones, builds and results; builds there are used again")
    parser.add_argument("--commits", type=int, default=20, metavar="N", help="consecutive commits of each (20)")
    parser.add_argument("--kinds", default="commits,planted", metavar="LIST", help="commits,planted (both)")
    parser.add_argument("--budget-s", type=float, default=20, metavar="S", help="of a commit's comparison (20)")
    parser.add_argument("--planted-budget-s", type=float, default=60, metavar="S", help="of a slowdown's (60)")
    parser.add_argument("--ratchet", type=Path, default=ROOT / "build/perf/ratchet", metavar="FILE")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE", help="JSON lines, one a comparison")


def run_experiment(options):
    unknown = set(options.names) - set(LIBRARIES)
    if unknown:
        raise Failed(f"no library is named {', '.join(sorted(unknown))}; choose from {', '.join(LIBRARIES)}")
    options.work, options.ratchet = options.work.resolve(), options.ratchet.resolve()
    if options.what == "run":
        for name in options.names or LIBRARIES:
            run_library(name, options)
        return 0
    record = read_record(options.record)
    if not record:
        raise Failed(f"{options.record} has no results; run python3 ci/lab real-commits run")
    current = marked(ROOT / "perf/guide/evaluation.md", "real-commits", table(record), options.what == "table")
    if not current and options.what == "check":
        raise Failed("the table is stale; run python3 ci/lab real-commits table", 1)
    return 0
