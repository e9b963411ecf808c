"""Builds the tool alone, packs it, installs it into an empty root and uses it there on somebody else's program.

  deb       the Debian package, with nothing but the packages that it depends on; and what `cmake --install` leaves,
            with nothing but the libraries that it is linked with
  wheel     the Python wheel, with nothing but the C library
  example   the example repository, against the installed package, from outside, and what it was at releases of the
            same series; and with the sources in place of the package, by FetchContent and by add_subdirectory
  image     the image that ci/packages/Dockerfile makes of debian:12, made here by debootstrap; by buildah
  cuda      the ten lines of perf/guide/timing.md that time a CUDA kernel, against the installed library; without a
            GPU they are compiled and linked, and say that there is none. On a GPU the collector finds the same time
            in a program that is not rebuilt

The program is one of Google Benchmark's (ci/examples/benchmarks/). RATCHET_BUILD names the folder of the builds
(build), CXX the compiler.

Exit codes: 0 it works, 1 it does not, 77 it cannot be tried here (not root, no compiler, ...).
"""
import concurrent.futures
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from .clean_roots import system
from .empty_root import BENCHMARKS, COMPILER, Root, accept_in_root, gate_in_root, must, must_hold, names_of, need
from .running import CACHE, ROOT, Failed, build, configure, gate_result, printed, printed_lines, run, version
from .sources import changed, instead

# The most that a tool to be installed may weigh (MB), and take to start (ms).
MOST_MB = 10
MOST_MS = 20
# The CPU time that building it may take, as a multiple of that of compiling CONTROL on the same machine at the same
# time: a number of seconds would depend on the machine and on what else runs there. It stands for a minute on two
# cores: on those that compile the control in 4 s, 20 times are 40 s. It takes 18.3 times.
MOST_BUILD = 20
# The same of README.md's first command, which links more into the program.
MOST_WHEEL = 40
CONTROL = """#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
int main(int n, char** words) {
  CLI::App app{"control"};
  CLI11_PARSE(app, n, words);
  return nlohmann::json::parse(fmt::format("{}", n)).size();
}
"""
# Releases without a tag, and their commits.
RELEASED = {"0.1.0": "8faae76e21432e46b64853b9eea7f51a631e00da"}


def say(words):
    print(f"install-check: {words}", file=sys.stderr, flush=True)


def cpu_seconds(act, kernel=True):
    """What it took all processes that it started: in user mode, and with `kernel` in the kernel, too."""
    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + kernel * usage.ru_stime
    before = spent()
    act()
    return spent() - before


def check_size_and_start(program):
    size = program.stat().st_size
    say(f"{size // 1000} kB")
    must(size < 1e6 * MOST_MB, f"less than {MOST_MB} MB")
    best = 1e3 * min(cpu_seconds(lambda: run([program, "--version"])) for _ in range(20))
    say(f"starts in {1000 * best:.0f} us of CPU time")
    must(best < MOST_MS, f"starts in less than {MOST_MS} ms of CPU time")


def compile_again_and_again(source, over, seconds):
    """Compiles a file until `over`, at least once, and notes the CPU time of each in user mode."""
    while not seconds or not over.is_set():
        process = subprocess.Popen([COMPILER, "-std=c++20", "-O1", "-c", source, "-o", source.with_suffix(".o")])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        must(process.returncode == 0, f"{source.name} is compiled")
        seconds.append(usage.ru_utime)


def must_take_less(work, act, most, what):
    """At most so many times the CPU time of compiling CONTROL, which is compiled all the while: what else runs makes
    the CPU time of both longer, and must be the same for both. Time in the kernel does not count: it grows with the
    load, more for a build of many short processes than for one compiler. No compiler cache may help."""
    (work / "control.cpp").write_text(CONTROL)
    controls, over = [], threading.Event()

    def both():
        with concurrent.futures.ThreadPoolExecutor() as threads:
            control = threads.submit(compile_again_and_again, work / "control.cpp", over, controls)
            try:
                act()
            finally:
                over.set()
            control.result()

    os.environ["CCACHE_DISABLE"] = "1"
    spent = cpu_seconds(both, kernel=False) - sum(controls)
    del os.environ["CCACHE_DISABLE"]
    each = sum(controls) / len(controls)
    say(f"{what} in {spent:.1f} s of CPU time, {spent / each:.1f} times the control's {each:.2f} s")
    must(spent < most * each, f"{what} in less than {most} times the CPU time of compiling the control")


def must_have_manual(share):
    for file in ("man/man1/ratchet.1", "bash-completion/completions/ratchet", "zsh/site-functions/_ratchet",
                 "fish/vendor_completions.d/ratchet.fish"):
        must((share / file).stat().st_size > 0, f"{file} is installed")


def must_find(results, slower, others):
    """What a gate found (the folder of its results) of a program of which one row was made many times slower: that row
    by name, the exit code 1, and nothing of the `others`. A row of ratchet's own is not judged by launches in which
    other processes held its CPU: then it has to be undecided for that reason, and for no other."""
    ratchet = gate_result(results)["context"]["ratchet"]
    found, code = ratchet["rows"][slower], ratchet["run"]["exit_code"]
    busy = found["verdict"] == "undecided" and "other processes" in found.get("reason", "")
    must(found["verdict"] == "slower" or busy, f"{slower} is slower: {found}")
    must(found.get("ratio", 0 if busy else 1) < 0.5, f"by more than half: {found}")
    must(code == (0 if busy else 1), f"the exit code is that of {found['verdict']}: {code}")
    for row in others:
        must(ratchet["rows"][row]["verdict"] == "same", f"{row} is the same: {ratchet['rows'][row]}")
    if busy:
        say(f"{slower}: not judged by time, {found['reason']}")


def use_in_root(root, ratchet):
    """Measures, accepts, compares, and finds a slowdown. What is judged is CPU time, which other work hardly moves;
    budget and limit are those of a machine on which it gets a twentieth of a CPU."""
    def gate(*rows, fine=(0,)):
        return root.run(*gate_in_root(ratchet, *rows), "--budget-s", "600", "--launch-limit-s", "300", fine=fine)

    root.prepare()
    root.run(ratchet, "--version")
    first = gate()
    must_hold(first, "vectors_bench/Sum#2")  # a name used twice costs nothing
    must_hold(first, "measures nothing")     # what the compiler removed
    must_hold(first, "No test checks what 5 rows compute")
    accept_in_root(root, ratchet)
    must_hold(gate(), "identical work")
    # The same program with twenty loops in place of one.
    shutil.copy(BENCHMARKS, root.work / "slow.cpp")
    once = "std::inner_product(a.begin(), a.end(), b.begin(), 0.0)"
    changed(root.work, "slow.cpp", lambda text: text.replace(
        once, " + ".join(once.replace("0.0", f"{loop}.0") for loop in range(20))))
    run([COMPILER, "-O2", "-std=c++17", root.work / "slow.cpp", "-o", root.path / "vectors_bench", "-lbenchmark",
         "-lpthread"])
    print(gate("^Dot", fine=(1,)))  # by CPU time, which no other work hides
    for row in ("Dot/1000", "Dot/20000"):
        must_find(root.path / "results", f"vectors_bench/{row}", [])


def installed_in_root(root, folder):
    """What `cmake --install` leaves, in a root of its own: measures, accepts, and knows the program again."""
    shutil.rmtree(root.path)
    run(["cmake", "--install", folder, "--prefix", root.path / "usr", "--strip"])
    ratchet = "/usr/bin/ratchet"
    root.copy_with_libraries(root.path / ratchet.lstrip("/"))  # they are found by the name that they have here, too
    root.third_party_program()
    root.prepare()
    gate = [*gate_in_root(ratchet, "^Dot"), "--budget-s", "5", "--launch-limit-s", "300"]
    must_hold(root.run(*gate), "No test checks what 2 rows compute")
    accept_in_root(root, ratchet)
    must_hold(root.run(*gate), "2 rows same (identical work)")
    # What times a GPU's work in programs that are not rebuilt lies where the program looks for it.
    if (folder / "perf/libratchet_collector.so").exists():
        said = root.run(*gate, "--device-time", "--by-time", fine=(2,), told="stderr")
        must_hold(said, "uses no CUDA, so --device-time has nothing to time")


def deb(work, builds, tree=ROOT):
    need("cpack", "dpkg-shlibdeps", "dpkg-deb")
    folder = work / "tool"  # new: what an earlier run left would cost nothing
    configure(tree, folder, "-DRATCHET_TOOL_ONLY=ON")
    must_take_less(work, lambda: build(folder), MOST_BUILD, "built")
    run(["cpack", "-G", "DEB", "-B", work / "deb"], tree=folder)
    package = next((work / "deb").glob("*.deb"))
    depends = run(["dpkg-deb", "-f", package, "Depends"]).stdout.strip()
    say(f"depends on {depends}")
    must(names_of(depends), "it depends on something")
    root = Root(work)
    for name in ("bin", "sbin", "lib", "lib64"):  # Debian's links from /lib to /usr/lib, as in any root
        (root.path / "usr" / name).mkdir(parents=True)
        (root.path / name).symlink_to(f"usr/{name}")
    root.copy_packages(names_of(depends))
    run(["dpkg-deb", "-x", package, root.path])
    must((root.path / "usr/share/doc/ratchet/LICENSE").is_file(), "the license is in the package")
    must_have_manual(root.path / "usr/share")
    must((root.path / "usr/share/zsh/vendor-completions/_ratchet").is_file(), "Debian's zsh finds its completions")
    check_size_and_start(root.path / "usr/bin/ratchet")
    root.third_party_program()
    use_in_root(root, "/usr/bin/ratchet")
    installed_in_root(root, folder)


def need_wheel_tools():
    if subprocess.run([sys.executable, "-c", "import venv, ensurepip"], stderr=subprocess.DEVNULL).returncode != 0:
        raise Failed("skipped: python3-venv is not installed; run ci/setup", 77)
    if not (CACHE / "wheel-tools/scikit_build_core").is_dir():
        raise Failed("skipped: scikit-build-core is not installed; run ci/setup", 77)


def wheel_environment():
    """What pip would fetch is there already, and it must not ask for it."""
    return {"PYTHONPATH": str(CACHE / "wheel-tools"), "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def alone_in_root(root, program):
    """A program that needs the C library's own parts and the loader, and nothing else."""
    shutil.copy2(program, root.path / "ratchet")
    root.copy_with_libraries(program)
    own = r"libc\.so|libm\.so|libdl\.so|libpthread\.so|ld-linux|linux-vdso"
    for line in run(["ldd", root.path / "ratchet"]).stdout.splitlines():
        must(re.search(own, line), f"linked with nothing but the C library: {line}")
    check_size_and_start(root.path / "ratchet")
    use_in_root(root, "/ratchet")


def wheel(work, builds):
    need_wheel_tools()
    root = Root(work)
    root.third_party_program()
    theirs = work / "theirs"
    theirs.mkdir()
    shutil.copy(work / "vectors_bench", theirs / "my_bench")
    (theirs / "ratchet").symlink_to(ROOT)
    run(["python3", "-m", "venv", work / "venv"])
    env = {**wheel_environment(), "PATH": f"{work / 'venv/bin'}:{os.environ['PATH']}",
           "SKBUILD_BUILD_DIR": str(work / "wheel")}
    install, *others = printed_lines(ROOT / "README.md", "use")
    must_hold(install, "pip install ./ratchet")
    (work / "commands").write_text("\n".join(others))
    must_take_less(work, lambda: run(["bash", "-ec", install], tree=theirs, env=env), MOST_WHEEL, "installed by pip")
    done = run(["bash", "-e", work / "commands"], tree=theirs, env=env)
    must_hold(done.stdout + done.stderr, "NOTHING DECIDED (exit 0)")
    must(len(list(theirs.glob("baselines/*/my_bench.json"))) == 1, "there is a baseline")
    if (work / "wheel/perf/libratchet_collector.so").exists():
        must((work / "venv/libexec/ratchet/libratchet_collector.so").is_file(), "the collector is in the wheel")
    must_have_manual(work / "venv/share")
    refused = run([work / "venv/bin/ratchet", "tables", "life"], fine=(2,)).stderr
    must_hold(refused, "tables is a command for ratchet's own kernels, which this program was built without")
    alone_in_root(root, work / "venv/bin/ratchet")


def example(work, builds):
    need("git")
    library, prefix, theirs = builds / "library", work / "usr", work / "kernels"
    configure(ROOT, library, "-DRATCHET_TOOL_ONLY=ON", "-DRATCHET_LIBRARY=ON", "-DRATCHET_CUDA=OFF")
    build(library)
    run(["cmake", "--install", library, "--prefix", prefix, "--strip"])
    shutil.copytree(ROOT / "ci/examples/kernels", theirs)
    configure(theirs, theirs / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    build(theirs / "build")
    bench = theirs / "build/dot-bench"
    # Their stages, checked, and no others.
    listed = run([bench, "--benchmark_list_tests"]).stdout.split()
    must(listed == ["dot/cpu/01_loop", "dot/cpu/02_four_sums"], f"their two stages are listed: {listed}")
    (theirs / "baselines").mkdir()

    def ratchet(*words, fine=(0,)):
        return run([prefix / "bin/ratchet", *words], fine, tree=theirs).stdout

    def gate(budget_s, fine=(0,)):
        return ratchet("gate", "--bench", "build/dot-bench", "--budget-s", budget_s, fine=fine)

    def gate_size(fine=(0,)):
        size = """stat -c '{"name": "size", "value": %s, "unit": "B"}' build/dot-bench"""
        return ratchet("gate", "--exec", size, "--name", "dot-size", "--results", "size", fine=fine)

    must("No test checks" not in gate(60), "what they compute is checked")
    accept = ("accept", "--yes", "--uncommitted", "--reason", "a first one")
    ratchet(*accept, "--contended")  # a baseline made next to other work is one, too
    gate_size()
    ratchet(*accept, "--from", "size/gate.json", "--allow-unverified")
    # What a remark does not change is not timed.
    fast = "dot/cpu_02_four_sums.cpp"
    changed(theirs, fast, lambda text: "// A remark.\n" + text)
    build(theirs / "build")
    must_hold(gate(20), "2 rows same (identical work)")
    must_hold(gate_size(), "PASS (exit 0): 1 same")
    # The fast one sends each product through memory again and again, and the program has a table of 800 kB. Both are
    # found by name, the other stage is untouched. The size shows next to any other work.
    instead(fast, ("sums[lane] += a[i + lane] * b[i + lane];",
                   "{ volatile double p = a[i + lane] * b[i + lane];\n"
                   "for (int k = 0; k < 40; ++k) p = p; sums[lane] += p + table[1 + i % 99999]; }"),
            ("double four_sums(", "volatile double table[100000] = {1};\n\ndouble four_sums("))(theirs)
    build(theirs / "build")
    print(gate(60, (0, 1)))
    must_find(theirs / "results", "dot/cpu/02_four_sums", ["dot/cpu/01_loop"])
    larger = gate_size((1,))
    print(larger)
    must(re.search(r"^slower *dot-size/size .*\n *exact", larger, re.M), "the larger program is found")
    # And wrong: not timed at all.
    instead(fast, ("i + 4 <= count", "i + 5 <= count"), ("; i < count; ++i", "; i + 1 < count; ++i"))(theirs)
    build(theirs / "build")
    must_hold(gate(20, (2,)), "elements: expected")
    # A stage's file that CMakeLists.txt does not list is named.
    shutil.copy(theirs / fast, theirs / "dot/cpu_03_forgotten.cpp")
    warned = run(["cmake", "-S", theirs, "-B", theirs / "build"]).stderr
    must_hold(" ".join(warned.split()), "cpu_03_forgotten.cpp is named like a stage")
    times_samples(theirs / "build/plain_bench")
    released_examples(work, prefix)
    sources_in_example(work, builds / "guest")


def times_samples(plain_bench):
    """Any Google Benchmark program that links ratchet::timing."""
    must_hold(run([plain_bench, "--benchmark_format=json"]).stdout, '"samples"')


def checks_both_stages(bench):
    checked = run([bench, "--ratchet_check_only"]).stdout
    must(checked.count('"passed":true') == 2, f"both stages are checked: {checked}")


def sources_in_example(work, guest):
    """The sources of ratchet in the example's own build, which has all that the package gives."""
    archive = work / "sources.tar.gz"  # with a folder in it, as a release's has
    (work / "files").write_text(run(["git", "-C", ROOT, "ls-files"]).stdout)
    run(["tar", "-czf", archive, "-C", ROOT, "--transform", "s,^,ratchet/,", "-T", work / "files"])
    fetched, count = re.subn(r"URL https://\S+(?=\))", f'URL "{archive}"', "\n".join(
        printed_lines(ROOT / "perf/guide/new_kernel.md", "fetch")))
    must(count == 1, "new_kernel.md fetches an archive")
    for how in (fetched, f'add_subdirectory("{ROOT}" ratchet)'):
        shutil.copytree(ROOT / "ci/examples/kernels", guest, dirs_exist_ok=True)
        changed(guest, "CMakeLists.txt", lambda text, how=how: re.sub(
            r"^find_package\(ratchet .*", lambda found: how, text, flags=re.M))
        configure(guest, guest / "build", "-DRATCHET_CUDA=OFF")
        # Of the second the configuration tells: what is built is the same.
        if how == fetched:
            build(guest / "build", "dot-bench", "plain_bench")
        must_hold(run(["ninja", "-C", guest / "build", "-t", "targets", "all"]).stdout, "\ndot-bench: ")
    checks_both_stages(guest / "build/dot-bench")
    times_samples(guest / "build/plain_bench")
    print("install-check: the example builds with ratchet's sources, by FetchContent and by add_subdirectory")


def released_examples(work, prefix):
    """What was written against an earlier release of the same series builds against the library, and runs:
    ci/examples/kernels of its tag, or of the commit that RELEASED names for a release without one."""
    series = version().split(".")[0] if not version().startswith("0.") else version().rpartition(".")[0]
    git = ["git", "-C", ROOT]
    tags = run([*git, "tag", "--list", f"v{series}.*"]).stdout.split()
    releases = {tag[1:]: tag for tag in tags}
    for release, revision in {**RELEASED, **releases}.items():
        if not release.startswith(f"{series}."):
            continue
        if subprocess.run([*git, "cat-file", "-e", f"{revision}^{{commit}}"], capture_output=True).returncode != 0:
            print(f"install-check: not tried: release {release}, of which this clone has no commit (fetch the history)")
            continue
        theirs = work / "released"
        theirs.mkdir()
        archive = subprocess.run([*git, "archive", revision, "ci/examples/kernels"], capture_output=True, check=True)
        subprocess.run(["tar", "-x", "--strip-components=3", "-C", theirs], input=archive.stdout, check=True)
        configure(theirs, theirs / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        build(theirs / "build")
        checks_both_stages(theirs / "build/dot-bench")
        times_samples(theirs / "build/plain_bench")
        shutil.rmtree(theirs)
        print(f"install-check: the example of release {release} builds and runs")


def printed_cuda(language):
    """What perf/guide/timing.md prints in one language between its marks for the ten lines."""
    text = printed(ROOT / "perf/guide/timing.md", "cuda")
    return "".join(re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S))


def cuda(work, builds):
    if not shutil.which("nvcc"):
        os.environ["PATH"] += ":/usr/local/cuda/bin"
    need("nvcc")
    library, theirs = builds / "library-cuda", work / "theirs"
    configure(ROOT, library, "-DRATCHET_TOOL_ONLY=ON", "-DRATCHET_LIBRARY=ON")
    build(library, "ratchet_library", "work_digests", "ratchet_collector")
    run(["cmake", "--install", library, "--component", "library", "--prefix", work / "usr"])
    theirs.mkdir()
    for name in ("axpy.cuh", "graph_bench.cu"):
        shutil.copy(ROOT / "ci/examples/cuda" / name, theirs)
    (theirs / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(theirs LANGUAGES CXX CUDA)\n" + printed_cuda("cmake"))
    (theirs / "my_bench.cu").write_text(printed_cuda("cuda"))
    (theirs / "axpy").mkdir()
    stage = printed(ROOT / "perf/guide/new_kernel.md", "stage").split("```")[1]
    (theirs / "axpy/cuda_01_direct.cu").write_text(stage.removeprefix("cuda\n"))
    with (theirs / "CMakeLists.txt").open("a") as lists:
        lists.write("ratchet_add_bench(axpy-bench axpy/cuda_01_direct.cu)\nadd_executable(graph_bench graph_bench.cu)\n"
                    "target_link_libraries(graph_bench PRIVATE ratchet::timing)\n")
    lines = (printed_cuda("cmake") + printed_cuda("cuda")).count("\n")
    must(lines == 10, f"the ten lines are {lines}")
    configure(theirs, theirs / "build", f"-DCMAKE_PREFIX_PATH={work / 'usr'}")
    build(theirs / "build")
    # Without a GPU its one stage is unavailable: exit code 77.
    listed = run([theirs / "build/axpy-bench", "--benchmark_list_tests"], fine=(0, 77))
    must_hold(listed.stdout + listed.stderr, "axpy/cuda/01_direct")
    known = json.loads((theirs / "build/axpy-bench.work.json").read_text())["stages"]
    must("axpy/cuda/01_direct" in known, f"the guide's CUDA stage has a digest: {known}")
    row = run([theirs / "build/my_bench", "--benchmark_format=json"]).stdout
    print(row)
    graph = run([theirs / "build/graph_bench", "--benchmark_format=json"]).stdout
    print(graph)
    collector = library / "perf/libratchet_collector.so"
    if "GPU 0" in run(["sh", "-c", "nvidia-smi -L"], fine=range(256)).stdout:
        must_hold(row, '"label": "cupti"', '"kernels": 1.0')
        check_graph_rows({each["name"].split("/")[0]: each for each in json.loads(graph)["benchmarks"]})
        not_rebuilt(theirs, collector, field("real_time", row))
    else:
        for printed_rows in (row, graph):
            must_hold(printed_rows, '"error_message": "no NVIDIA driver; install one')
        not_rebuilt(theirs, collector, None)


def check_graph_rows(rows):
    """The rows of ci/examples/cuda/graph_bench.cu, as perf/guide/timing.md says."""
    warm, cold, graph, streams = (rows[name] for name in ("Warm", "Cold", "Graph", "Streams"))
    must(cold.get("cold") == 1 and "cold" not in warm, "the cold row says so, and the warm one does not")
    must(cold["real_time"] > 1.1 * warm["real_time"], "a cold cache takes longer")
    must(graph["kernels"] == 8, "all nodes of the graph count")
    must(0.8 < graph["real_time"] / warm["real_time"] / 8 < 1.25, "each node takes what its launch alone takes")
    must(streams["kernels"] == 2, "the kernels of both streams count")
    must(streams.get("overlap_ms", 0) > 0, "they run concurrently, and count once")


def field(name, text):
    return float(re.search(rf'"{name}": ([0-9.e+-]+)', text)[1])


def not_rebuilt(theirs, collector, ns):
    """A program of Google Benchmark's alone: by the collector its kernel takes the time (ns) that the ten lines found,
    within 5 %; without a GPU (None) it fails as it does without the collector."""
    folder = ROOT / "ci/examples/cuda"
    run(["nvcc", "-std=c++17", f"-arch={'sm_90' if ns is None else 'native'}", f"-I{folder}", folder / "plain_bench.cu",
         "-o", "plain_bench", "-lbenchmark", "-lpthread"], tree=theirs)
    run([theirs / "plain_bench", "--benchmark_out=plain.json", "--benchmark_out_format=json"], tree=theirs,
        env={"LD_PRELOAD": str(collector), "CUDA_INJECTION64_PATH": str(collector),
             "RATCHET_COLLECTED": str(theirs / "collected")})
    plain = (theirs / "plain.json").read_text()
    if ns is None:
        must_hold(plain, '"error_occurred": true')
        return
    collected, calls = (theirs / "collected").read_text(), field("iterations", plain)
    print(f"install-check: collected: {collected.strip()}, calls: {calls:g}, by the ten lines: {ns} ns")
    numbers = [float(word) for word in collected.split()[:2]]
    must(numbers[0] == calls and 0.95 * ns < 1e9 * numbers[1] / calls < 1.05 * ns, "both find the same time")


def image(work, builds):
    need("buildah", "debootstrap")
    buildah = ["buildah", "--root", work / "images", "--runroot", work / "run", "--storage-driver", "vfs"]

    def made_of(name):
        return run([*buildah, "from", "--pull-never", name]).stdout.strip()

    base = made_of("scratch")
    run([*buildah, "add", base, system("debian-12"), "/"])
    run([*buildah, "commit", base, "docker.io/library/debian:12"])
    run([*buildah, "bud", "--pull-never", "--isolation", "chroot", "--target", "tool", "-t", "ratchet",
         "-f", ROOT / "ci/packages/Dockerfile", ROOT])
    root = Root(work)
    tool = made_of("localhost/ratchet")
    run(["cp", "-a", run([*buildah, "mount", tool]).stdout.strip() + "/.", root.path])
    entry = json.loads(run([*buildah, "inspect", "--type", "image", "localhost/ratchet"]).stdout)["OCIv1"]["config"]
    must(entry["Entrypoint"] == ["ratchet"], f"the image starts the program: {entry}")
    must(not (root.path / "usr/bin/g++").exists(), "no compiler is in the image")
    root.third_party_program()
    use_in_root(root, "/usr/local/bin/ratchet")


CHECKS = {"deb": deb, "wheel": wheel, "example": example, "image": image, "cuda": cuda}


def add_options(parser):
    parser.add_argument("what", choices=CHECKS)


def run_experiment(options):
    if options.what in ("deb", "wheel", "image") and os.getuid() != 0:
        raise Failed("skipped: only root can enter an empty root", 77)
    need("cmake", "ninja", "unshare", "chroot", COMPILER)
    builds = (ROOT / os.environ.get("RATCHET_BUILD", "build")).resolve()
    with tempfile.TemporaryDirectory() as work:
        try:
            CHECKS[options.what](Path(work), builds)
        except Failed as failed:
            raise Failed(str(failed), 77 if failed.code == 77 else 1) from failed
    say(f"{options.what} works")
