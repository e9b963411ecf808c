"""Builds the example of nvbench's that the gate is tried on, from nvbench's own sources, without its CMake.

Its CMake would fetch rapids-cmake, fmt and nlohmann-json, which are taken from the system.

DIR is a checkout of github.com/NVIDIA/nvbench. OUT (build/nvbench) receives three programs: nvb_example;
nvb_example_slow, which does a twentieth more work; and nvb_example_no_gpu, the first with a runtime in which kernels do
nothing (no_gpu.cpp). They are stripped, with the runtime in them; NVML and CUPTI are left out. RATCHET_NVBENCH=OUT
makes the tests of the gate use them. FMT names another folder of fmt's headers, ARCH another architecture (sm_90),
JOBS the compilations at a time (1).

Exit codes: 0, where there are no sources of nvbench's or no nvcc, too; 2 when something does not build.
"""
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .running import ROOT, Failed, run

EXAMPLE = ROOT / "correctness/perf/gate/data/nvbench"
ARCH = f"-arch={os.environ.get('ARCH', 'sm_90')}"


def write_generated(sources, work):
    """What nvbench's CMake writes: its configuration, revision, version, and help as strings."""
    for folder in ("internal", "detail"):
        (work / "nvbench" / folder).mkdir(parents=True, exist_ok=True)
    config = (sources / "nvbench/config.cuh.in").read_text()
    (work / "nvbench/config.cuh").write_text(re.sub(r"^#cmakedefine .*", "", config, flags=re.M))
    try:
        revision = run(["git", "-C", sources, "rev-parse", "--short", "HEAD"]).stdout.strip()
    except Failed:
        revision = "unknown"
    (work / "nvbench/detail/git_revision.cuh").write_text(
        f'#pragma once\n#define NVBENCH_GIT_BRANCH "none"\n#define NVBENCH_GIT_SHA1 "{revision}"\n'
        f'#define NVBENCH_GIT_VERSION "{revision}"\n')
    versions = re.findall(r"^ *VERSION (\d+\.\d+\.\d+)", (sources / "CMakeLists.txt").read_text(), re.M)
    parts = (versions[-1] if versions else "0.0.0").split(".")
    (work / "nvbench/detail/version.cuh").write_text("#pragma once\n" + "".join(
        f"#define NVBENCH_VERSION_{name} {number}\n"
        for name, number in zip(("MAJOR", "MINOR", "PATCH"), parts, strict=True)))
    for name in ("cli_help", "cli_help_axis"):
        text = (sources / f"docs/{name}.md").read_text()
        (work / f"nvbench/internal/{name}.cuh").write_text(
            f'#include <string>\nnamespace {{ const std::string {name}_text = R"expected(\n{text})expected"; }}\n')


def compile_file(source, target, sources, work, *flags):
    if target.exists() and target.stat().st_mtime > source.stat().st_mtime:
        return
    launcher = os.environ.get("CMAKE_CUDA_COMPILER_LAUNCHER", "").split()
    fmt = os.environ.get("FMT")
    run([*launcher, "nvcc", "-std=c++17", "-O2", ARCH, "--extended-lambda", "--expt-relaxed-constexpr", "-w",
         "-DFMT_HEADER_ONLY", "-DNVBENCH_NO_IMPLICIT_SYSTEM_HEADER", *([f"-I{fmt}"] if fmt else []), f"-I{sources}",
         f"-I{work}", *flags, "-c", source, "-o", target])


def library_sources(sources):
    """Without what needs CUPTI. json_printer.cxx, where it is there, stands in for json_printer.cu with old CUDA."""
    folder = sources / "nvbench"
    found = [*folder.glob("*.cu"), *folder.glob("*.cxx"), *folder.glob("detail/*.cu"), *folder.glob("detail/*.cxx")]
    names = sorted(str(file.relative_to(folder)) for file in found)
    return [name for name in names if not re.search("cupti|json_printer.cxx", name)] + ["internal/nvml.cxx"]


def build_library(sources, work):
    def compile_one(name):
        target = work / (name.replace("/", "_") + ".o")
        compile_file(sources / "nvbench" / name, target, sources, work)
        return target

    with ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
        return list(pool.map(compile_one, library_sources(sources)))


def add_options(parser):
    parser.add_argument("sources", type=Path, metavar="DIR")
    parser.add_argument("out", type=Path, nargs="?", default=Path("build/nvbench"), metavar="OUT")


def run_experiment(options):
    sources, out = options.sources.resolve(), options.out.resolve()
    if not (sources / "nvbench/main.cuh").exists():
        print(f"nvbench-example: skipped: '{options.sources}' holds no sources of nvbench's")
        return
    if not shutil.which("nvcc"):
        print("nvbench-example: skipped: there is no nvcc here")
        return
    work = out / "objects"
    (work / "main").mkdir(parents=True, exist_ok=True)
    write_generated(sources, work)
    library = build_library(sources, work)
    for percent, name in ((0, "nvb_example"), (5, "nvb_example_slow")):
        main = work / f"main/{name}.o"
        compile_file(EXAMPLE / "example.cu", main, sources, work, f"-DEXTRA_PERCENT={percent}")
        run(["nvcc", ARCH, "-cudart", "static", "-o", out / name, main, *library])
    no_gpu = work / "main/no_gpu.o"
    compile_file(EXAMPLE / "no_gpu.cpp", no_gpu, sources, work)
    run(["g++", "-o", out / "nvb_example_no_gpu", work / "main/nvb_example.o", no_gpu, *library])
    programs = ("nvb_example", "nvb_example_slow", "nvb_example_no_gpu")
    run(["strip", *(out / name for name in programs)])
    print(f"{out}: {', '.join(programs)}")
