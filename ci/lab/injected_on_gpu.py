"""Slows one CUDA stage by half a percent in its source: whether a comparison of builds names its row.

  build FOLDER    here: builds the programs of this commit and of each slowdown
  run FOLDER      on the GPU machine: compares them

The builds are made elsewhere if the GPU is available only for minutes. On the GPU machine, `ratchet compare --exec`
compares each slowed stage with this commit's, N times (5), as the default ci/gate does for rows with other code than
stored. One slowdown keeps the machine code and launches more idle blocks. Each slowdown gives one line of JSON in FILE
(results/gate-figures.jsonl), from which `python3 ci/lab gate-figures table` makes its rows.

Exit codes: 0 for any verdicts; 2 a slowdown did not fit or did not build, or a comparison failed.
"""
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from .running import add_clone, add_record, append, circumstances, figures_of, judged_rows, run
from .sources import as_cloned, commit, instead, wanted, working_clone

SPIN = """
__device__ inline void spin(unsigned nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
}
"""
SPIN_KERNEL = SPIN + "__global__ void spin_kernel(unsigned nanoseconds) { spin(nanoseconds); }\n"


def longer(row, file, *changes, parts=200, helper=SPIN, also=None):
    """An edit with these changes, in which NS is a part of the row's call time in the H200's baseline; and `also`."""
    family = row.split("/")[0]
    def plant(tree):
        stored = json.loads((tree / f"baselines/nvidia-h200/{family}.json").read_text())["benchmarks"]
        call_ms = statistics.median(one["real_time"] for one in stored if one["name"] == row)
        lasting = [(old, new.replace("NS", f"{1e6 * call_ms / parts:.0f}")) for old, new in changes]
        instead(f"kernels/{family}/{file}", ("namespace {\n", f"namespace {{\n{helper}"), *lasting)(tree)
        if also:
            also(tree)
    return {row: plant}


SLOWDOWNS = {
    **longer("graveler/cuda/01_xoshiro", "cuda_01_xoshiro.cu",
             ("    __device__ explicit Round(unsigned) {}\n",
              "    __device__ explicit Round(unsigned) {}\n    __device__ ~Round() { spin(NS); }\n"), parts=375),
    # Parts of these two calibrated by stored results: time at the end of a kernel counts differently.
    **longer("graveler/cuda/03_29_words", "cuda_03_29_words.cu",
             ("using Round = TwoBattlesRound;", """struct Round : TwoBattlesRound {
    using TwoBattlesRound::TwoBattlesRound;
    __device__ ~Round() { spin(NS); }
  };"""), parts=150),
    # In a kernel of its own: any more code in the kernel changes its compilation, and slows it far more.
    **longer("tiny_mc/cuda/03_global_heat", "cuda_03_global_heat.cu",
             ("  static StageInfo info() {", "  static void longer() { spin_kernel<<<1, 1>>>(NS); }\n\n"
              "  static StageInfo info() {"), helper=SPIN_KERNEL,
             also=instead("kernels/tiny_mc/text/cuda_text_stage.cuh", (
                 "    RATCHET_CUDA_LAUNCHED();\n  }\n  void wait()",
                 "    if constexpr (requires { T::longer(); }) T::longer();\n"
                 "    RATCHET_CUDA_LAUNCHED();\n  }\n  void wait()"))),
    **longer("bmn/cuda/01_port", "cuda_01_port.cu",
             ("(job, run_first, tables, totals);\n",
              "(job, run_first, tables, totals);\n    spin_kernel<<<1, 1>>>(NS);\n"), helper=SPIN_KERNEL),
    **longer("officers/cuda/06_barrier", "cuda_06_barrier.cu",
             ("      run(job, blocks);\n", "      run(job, blocks);\n      spin_kernel<<<1, 1>>>(NS);\n"),
             helper=SPIN_KERNEL),
    "life/cuda/00_square_tile": instead(
        "kernels/life/dense/cuda_square_tile_stage-inl.cuh",  # of 00b, too
        ("static_cast<unsigned>((pass.height + kFresh - 1) / kFresh)",
         "static_cast<unsigned>((pass.height + kFresh - 1) / kFresh * 201 / 200)")),
}
SHAPES = {"life/cuda/00_square_tile"}


def kept(tree, folder):
    folder.mkdir(parents=True, exist_ok=True)
    run(["ci/build", "ratchet", "ratchet-bench"], tree=tree)
    for file in (tree / "build/perf").glob("ratchet-bench*"):
        if file.is_file():
            shutil.copy(file, folder / file.name)
    run(["strip", folder / "ratchet-bench"])


def build(options):
    with working_clone(options.keep) as tree:
        kept(tree, options.folder / "base")
        for row, plant in wanted(SLOWDOWNS, options.only).items():
            plant(tree)
            commit(tree, f"{row} does half a percent more")
            kept(tree, options.folder / row.replace("/", "_"))
            as_cloned(tree)


def compare(options, stage):
    slowed = options.folder / stage.replace("/", "_") / "ratchet-bench"
    with tempfile.TemporaryDirectory() as results:
        start = time.monotonic()
        done = run([options.ratchet, "compare", "--exec", options.folder / "base/ratchet-bench", "--exec", slowed,
                    "--filter", f"^{stage}(/|$)", "--budget-s", options.budget_s, "--results", results], fine=(0, 1, 3))
        seconds = round(time.monotonic() - start, 1)
        row = judged_rows(Path(results))[stage]
    return {"exit_code": done.returncode, "seconds": seconds, **figures_of(row)}


def measure(options):
    gpu = run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]).stdout.splitlines()[0]
    for stage in wanted(SLOWDOWNS, options.only):
        about = {**circumstances(), "gpu": gpu}
        runs = [compare(options, stage) for _ in range(options.runs)]
        append(options.record, {"figure": "injected_cuda", "row": stage, "injected_share": 0.005,
                                "shape": stage in SHAPES, "budget_s": options.budget_s, "runs": runs, **about})


def add_options(parser):
    parser.add_argument("what", choices=["build", "run"])
    parser.add_argument("folder", type=Path)
    add_record(parser)
    add_clone(parser)
    parser.add_argument("--ratchet", type=Path, default=Path("build/perf/ratchet"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--budget-s", type=float, default=60)


def run_experiment(options):
    options.folder = options.folder.resolve()
    (build if options.what == "build" else measure)(options)
