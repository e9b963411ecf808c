"""Programs of others that need a GPU, for foreign_programs.py."""
import re
import shutil

from .demonstration import Demonstration, Said, clone, need, sh
from .running import ROOT, Failed, build, configure, run

SAMPLES = "c94ff366aed18c797b8a85dfaac7817b0228b420"
RMM, RAPIDS_LOGGER = "v25.10.00", "v0.2.3"


def gpu(built):
    """The name of the first GPU."""
    listed = run(["nvidia-smi", "-L"], fine=range(256)).stdout if shutil.which("nvidia-smi") else ""
    named = re.search(r"GPU 0: (.*?) \(", listed)
    if not named:
        raise Failed(f"no GPU is here; the programs are built in {built}")
    return named[1]


def graphs(options, work):
    """Kernels of two of NVIDIA's samples, whose files are compiled into a program that times them by time_row()."""
    folder = work / "cuda-samples"
    if not (folder / "samples_1").exists():
        need("nvcc")
        samples = clone(options, work, "cuda-samples", "https://github.com/NVIDIA/cuda-samples", SAMPLES)
        configure(ROOT / "correctness/perf/gate/data/cuda-samples", work / "cuda-build", f"-DSAMPLES={samples}",
                  "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CUDA_ARCHITECTURES={options.arch}")
        build(work / "cuda-build", "samples_0", "samples_1")
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("samples_0", "samples_1"):
            shutil.copy(work / "cuda-build" / name, folder)
    shown = Demonstration(options, "graphs", "graphs, streams, cold caches",
                          f"simpleCudaGraphs and simpleHyperQ of NVIDIA's CUDA samples {SAMPLES[:8]}", folder,
                          gpu(folder))
    compare = ["compare", "--exec", "./samples_0", "--exec"]
    shown.says("as it is", [*compare, "./samples_0", "--by-time", "--budget-s", "15"], 0, "^same +Graph")
    output = shown.says("captured twice", [*compare, "./samples_1", "--budget-s", "20"], 1, "^slower +Graph")
    if not re.search(r" Gaps .*\n( .*\n)*.*the\s+GPU\s+waits", output):  # the other program waits for each kernel
        raise Said(f"graphs: no remark says how long the GPU waits:\n{output[-3000:]}")
    shown.says("no GPU", ["gate", "Graph", "--bench", "./samples_0", "--budget-s", "5"], 2, "^failed .*Graph",
               CUDA_VISIBLE_DEVICES="")
    return shown


def rmm_bench(options, work):
    """A benchmark program of rmm's as it is, and `twice`, whose kernel takes twice as long; both built once."""
    folder = work / "rmm"
    program, twice = folder / "multi_stream_allocations_bench", folder / "twice"
    if program.exists() and twice.exists():
        return program, twice
    need("nvcc")
    rmm = clone(options, work, "rmm", "https://github.com/rapidsai/rmm", RMM) / "cpp"
    logger = clone(options, work, "rapids-logger", "https://github.com/rapidsai/rapids-logger", RAPIDS_LOGGER)
    (folder / "made/rmm").mkdir(parents=True, exist_ok=True)
    macros = (logger / "cmake/logger_macros.hpp.in").read_text()  # as its CMake writes them
    for mark, text in (("MACRO_PREFIX", "RMM"), ("DEFAULT_LOGGER", "rmm::default_logger()")):
        macros = macros.replace(f"@_RAPIDS_LOGGER_{mark}@", text)
    (folder / "made/rmm/logger_macros.hpp").write_text(macros)
    bench = rmm / "benchmarks/multi_stream_allocations/multi_stream_allocations_bench.cu"
    slower = folder / "made/twice.cu"
    slower.write_text(bench.read_text().replace("million{1'000'000}", "million{2'000'000}"))
    if slower.read_text() == bench.read_text():
        raise Failed(f"{bench} has no kernel of a million cycles")
    sources = [file for file in sorted((rmm / "src").glob("*.cpp")) if file.name != "exec_policy.cpp"]  # of Thrust
    for source, built in ((bench, program), (slower, twice)):
        run(["nvcc", "-std=c++17", "-O2", f"-arch=sm_{options.arch}", "--extended-lambda", "--expt-relaxed-constexpr",
             "-w", "-DLIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE", "-DSPDLOG_FMT_EXTERNAL", "-DFMT_HEADER_ONLY",
             f"-I{rmm}/include", f"-I{rmm}", f"-I{logger}/include", f"-I{folder}/made", source, *sources,
             logger / "src/logger.cpp", "-lbenchmark", "-lpthread", "-ldl", "-o", built])
    return program, twice


def streams(options, work):
    """A benchmark program of rmm's, as it is, under the collector."""
    program, _ = rmm_bench(options, work)
    shown = Demonstration(options, "streams", "a program's GPU time", f"multi_stream_allocations of rmm {RMM}",
                          program.parent, gpu(program.parent))
    row, bench = "BM_MultiStreamAllocations/pool_mr/{}/4/1", f"./{program.name}"
    compare = ["compare", "--device-time", "--budget-s", "80", "--exec", bench, "--rows"]
    shown.says("its rows", ["gate", "pool", "--bench", bench, "--device-time", "--budget-s", "15"], 0,
               "^uncompared .*pool_mr/4/4/1")
    shown.says("one stream in place of four", [*compare, row.format(4), row.format(1)], 1, "^slower .*pool_mr/1/4/1")
    shown.says("no GPU", ["gate", row.format(4), "--bench", bench, "--device-time", "--budget-s", "5"], 2,
               "^failed .*printed last", CUDA_VISIBLE_DEVICES="")
    return shown


def kernels(options, work):
    """The same under Nsight Compute: both builds, from a repository of which program is built."""
    program, twice = rmm_bench(options, work)
    folder = work / "rmm-explained"
    shutil.rmtree(folder, ignore_errors=True)
    shown = Demonstration(options, "kernels", "profiles on a GPU", f"multi_stream_allocations of rmm {RMM}", folder,
                          gpu(folder))
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b"]
    run([*git, "init", "-q"], tree=folder)
    (folder / ".gitignore").write_text("build/\nresults/\n")
    make = f"mkdir -p build && cp {program.parent}/$(cat built) build/bench"
    for built in (program.name, program.name, twice.name):
        (folder / "built").write_text(built)
        run([*git, "add", "."], tree=folder)
        run([*git, "commit", "-q", "--allow-empty", "-m", built], tree=folder)
    explain = ["explain", "bench/BM_MultiStreamAllocations/pool_mr/4/4/1", "--bench", "build/bench",
               "--build-cmd", make]
    sh(make, folder)
    shown.says("as it is", [*explain, "--base", "HEAD", "--record"], 0, "^No kernel changed")
    shown.says("its kernel takes twice as long", [*explain, "--base", "HEAD~1"], 0,
               r"^\| `compute_bound_kernel.* \+(9|10)\d?\.\d %")
    shown.says("without ncu", [*explain, "--base", "HEAD~1"], 2, "ncu is not on PATH", PATH="/usr/bin:/bin")
    return shown
