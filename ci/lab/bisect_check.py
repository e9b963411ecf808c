"""Measures `ratchet bisect` where the answer is known: histories of this project with one commit made slower.

Each run clones HEAD, adds harmless commits (pages, tests, comments in shared headers, another stage's code, this
stage's code without effect on its speed) and among them one that makes a stage of graveler do S more work in its timed
act. Then it searches. Each run gives one line of JSON in FILE (results/gate-figures.jsonl), from which `python3 ci/lab
gate-figures table` makes its rows. Other options are passed to `ratchet bisect`.

Exit codes: 0 every culprit was named, 1 one was not, 2 a run could not be made.
"""
import random
import re
import shutil
import time
from pathlib import Path

from .running import ROOT, add_record, append, circumstances, run
from .sources import Misfit, changed, clone, commit, replaced

PASSES_ON = True

STAGES = ["01_naive_chacha12", "02_naive_wyrand", "03_bit_and", "04_bit_and_tuned", "05_wyrand",
          "06_wyrand_tuned", "07_xoshiro_x4"]
OTHER = "kernels/officers/cpu_06_threads.cpp"
MORE_WORK = """
class MoreWork final : public Worker {
 public:
  MoreWork(std::unique_ptr<Worker> worker, std::unique_ptr<Worker> spare)
      : worker_(std::move(worker)), spare_(std::move(spare)) {}
  std::uint32_t max_ones(std::uint64_t battles) override {
    unused_ = spare_->max_ones(battles * PARTS / 1000);
    return worker_->max_ones(battles);
  }
  void add_to(Histogram& histogram, std::uint64_t battles) override {
    worker_->add_to(histogram, battles);
  }
  void trace(Trace& trace, std::uint32_t group, Stream stream, std::uint64_t seed) override {
    worker_->trace(trace, group, stream, seed);
  }

 private:
  std::unique_ptr<Worker> worker_, spare_;  // a spare one, so that the results do not change
  volatile std::uint32_t unused_ = 0;
};
std::unique_ptr<Worker> make_more_work(std::uint64_t seed, std::uint64_t index) {
  return std::make_unique<MoreWork>(make_worker(seed, index), make_worker(seed + 1, index));
}
"""


def plant(tree, path, share):
    maker = re.search(r"&(make_\w+(?:<\w+>)?)\)", (tree / path).read_text())
    if not maker:
        raise Misfit(f"{path} registers no maker of workers")
    work = MORE_WORK.replace("PARTS", str(round(share * 1000))).replace("make_worker", maker[1])
    registered = "\nconst Registration registered{"
    changed(tree, path, replaced(path, (f"{maker[0]}", "&make_more_work)"), (registered, work + registered)))


def harmless(tree, path, number, kind):
    """A change of this kind, which slows no row."""
    if kind == "text":
        changed(tree, "README.md", lambda text: text + f"\n<!-- {number} -->\n")
    elif kind == "test":
        (tree / "correctness/graveler/added_test.cpp").write_text(f"// {number}\n")
    elif kind == "remark":
        changed(tree, "kernels/graveler/stages/cpu_stage.h", lambda text: text + f"// A remark: {number}.\n")
    else:  # the summary is part of the stage's registration, and so of its digest
        changed(tree, OTHER if kind == "other stage" else path,
                lambda text: re.sub(r'[.]summary = "[^"]*"', f'.summary = "Change {number}"', text))


def make_history(tree, options, order):
    clone(tree)
    stage = order.choice(STAGES)
    path = f"kernels/graveler/cpu_{stage}.cpp"
    culprit = order.randint(1, options.commits)
    kinds = ["text", "test", "remark", "other stage", "same stage", "same stage"]
    for number in range(1, options.commits + 1):
        if number == culprit:
            plant(tree, path, options.share)
            commit(tree, "the culprit")
        else:
            kind = order.choice(kinds)
            harmless(tree, path, number, kind)
            commit(tree, f"{kind}, {number}")
    return f"graveler/cpu/{stage}", culprit


def search(number, options, order):
    tree = options.out / f"run-{number}"
    shutil.rmtree(tree, ignore_errors=True)
    about = circumstances()
    stage, culprit = make_history(tree, options, order)
    began = time.time()
    done = run([(options.build / "perf/ratchet").resolve(), "bisect", f"HEAD~{options.commits}", "HEAD",
                *options.more], fine=range(-255, 256), tree=tree)
    (options.out / f"run-{number}.log").write_text(done.stdout + done.stderr)
    wanted = run(["git", "rev-parse", f"HEAD~{options.commits - culprit}"], tree=tree).stdout[:12]
    named = re.findall(r"^  commit ([0-9a-f]{12}) ", done.stdout, re.M)
    rows = re.findall(r"^(\S+): throughput", done.stdout, re.M)
    effort = re.search(r"; (\d+) built, .*; (\d+) comparisons", done.stdout)
    shutil.rmtree(tree, ignore_errors=True)
    return {"figure": "bisect", "stage": stage, "commits": options.commits, "share": options.share,
            "culprit": culprit, "named": named, "rows": rows, "right": named == [wanted] and rows == [stage],
            "builds": int(effort[1]) if effort else None, "comparisons": int(effort[2]) if effort else None,
            "seconds": round(time.time() - began), "exit": done.returncode, **about}


def add_options(parser):
    parser.add_argument("--runs", type=int, default=10, metavar="N")
    parser.add_argument("--commits", type=int, default=64, metavar="N", help="of a history")
    parser.add_argument("--share", type=float, default=0.05, metavar="S")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--out", type=Path, default=Path("results/bisect-check"))
    add_record(parser)
    parser.add_argument("--seed", type=int, default=1)


def run_experiment(options):
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for number in range(options.runs):
        result = search(number, options, random.Random(options.seed * 1000 + number))
        append(options.record, result)
        wrong += not result["right"]
    print(f"{options.runs - wrong} of {options.runs} culprits named")
    return 1 if wrong else 0
