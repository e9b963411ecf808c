"""Slows one CPU stage by two percent in its source: whether the default ci/gate names its row, and no other.

Each slowdown is a commit in a clone: a stage, whose code no other stage runs, repeats a fiftieth of its work, or waits
as long. ci/gate runs N times (3) on it, every other run with a busy process on every CPU. Each stage gives one line of
JSON in FILE (results/gate-figures.jsonl), from which `python3 ci/lab gate-figures table` makes its rows.

--shared: instead, edits headers that about 20 stages share, so that these execute other code of equal speed: whether a
row is called slower.

Exit codes: 0 for any verdicts; 2 a slowdown did not fit or did not build, or a gate failed.
"""
import sys
import time

from .running import Failed, add_clone, add_record, append, circumstances, figures_of, judged_rows, neighbours, run
from .sources import as_cloned, changed, commit, instead, wanted, working_clone

MORE_BATTLES = """
  class More final : public Worker {
   public:
    explicit More(std::unique_ptr<Worker> inner) : inner_(std::move(inner)) {}
    std::uint32_t max_ones(std::uint64_t battles) override {
      const std::uint32_t most = inner_->max_ones(battles);
      unheard_ = inner_->max_ones(battles / 50);
      return most;
    }
    void add_to(Histogram& histogram, std::uint64_t battles) override {
      inner_->add_to(histogram, battles);
    }
    void trace(Trace& trace, std::uint32_t group, Stream stream, std::uint64_t seed) override {
      inner_->trace(trace, group, stream, seed);
    }

   private:
    std::unique_ptr<Worker> inner_;
    volatile std::uint32_t unheard_ = 0;
  };
  return std::make_unique<More>(MAKER(seed, index));"""


def battles(stage, body):
    """Further battles after those that count, with words of the same generator; their results are dropped."""
    maker = f"make_round_worker<{body}>"
    return instead(f"kernels/graveler/cpu_{stage}.cpp",
                   (f"  return {maker}(seed, index);", MORE_BATTLES.replace("MAKER", maker)))


def tuned_battles(stage, generator):
    """The same for a stage that is compiled for processors with AVX2."""
    maker, registered = f"make_tuned_worker<{generator}>", "\nconst Registration registered{"
    more = ("\nstd::unique_ptr<Worker> make_more(std::uint64_t seed, std::uint64_t index) {"
            + MORE_BATTLES.replace("MAKER", maker) + "\n}\n")
    return instead(f"kernels/graveler/cpu_{stage}.cpp", (f"&{maker})", "&make_more)"), (registered, more + registered))


# Spins for a fiftieth of the processor time of `act`, independent of optimizations around it.
LONGER = """
inline double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
template <class Act>
auto longer(Act act) {
  struct Spin {
    double start = thread_seconds();
    ~Spin() {
      const double end = thread_seconds();
      while (thread_seconds() < end + (end - start) / 50) continue;
    }
  } spin;
  return act();
}

"""


def longer(path, first, act, acts):
    """Inserts longer() before line `first`, and replaces `act` by `acts`, which calls it."""
    file = f"kernels/{path}.cpp"
    def plant(tree):
        instead(file, (act, acts), (f"\n{first}", f"\n{LONGER}{first}"))(tree)
        changed(tree, file, lambda text: "#include <time.h>\n" + text)
    return plant


def rows(stage, layout):
    act = f"advance_by_rows<{layout}>(step);"
    return longer(f"life/cpu_{stage}", f"struct {layout} ", act, f"longer([&] {{ {act} }});")


# The code of each is not shared: with 12_aes_weyl, for example, 13_aes_weyl_threads would rightly be slower, too.
SLOWDOWNS = {
    "graveler/cpu/02_naive_wyrand": battles("02_naive_wyrand", "RollByRoll<Wyrand>"),
    "graveler/cpu/03_bit_and": battles("03_bit_and", "BitAnd<ChaCha12>"),
    "graveler/cpu/04_bit_and_tuned": tuned_battles("04_bit_and_tuned", "ChaCha12"),
    "graveler/cpu/05_wyrand": battles("05_wyrand", "BitAnd<Wyrand>"),
    "graveler/cpu/06_wyrand_tuned": tuned_battles("06_wyrand_tuned", "Wyrand"),
    "graveler/cpu/07_xoshiro_x4": battles("07_xoshiro_x4", "XoshiroRows<4>"),
    "life/cpu/03_packed_nibbles": rows("03_packed_nibbles", "Nibbles"),
    "life/cpu/04_packed_bits": rows("04_packed_bits", "Bits"),
    "tiny_mc/cpu/01_scalar": longer(
        "tiny_mc/cpu_01_scalar", "void simulate(", "follow(job, stream, photons, sums);",
        "longer([&] { follow(job, stream, photons, sums); });"),
    "tiny_mc/cpu/04_direct": longer(
        "tiny_mc/cpu_04_direct", "Body make_direct_body()", "&simulate_chunk<Direct>",
        "[](const Job& job, std::uint64_t stream, std::uint32_t photons, Tally& tally) {\n"
        "    longer([&] { simulate_chunk<Direct>(job, stream, photons, tally); });\n  }"),
}


# Code of all stages of two families: one more virtual function, and one more addition per run.
SHARED = [
    instead("kernels/graveler/stages/cpu_stage.h", (
        "  /// Plays exactly `battles` battles; the most",
        "  virtual std::uint64_t battles_so_far() const { return 0; }\n"
        "  /// Plays exactly `battles` battles; the most")),
    instead("kernels/life/packed/cpu_stage.h", (
        "    pool_.run([this](std::uint64_t worker) { advance_share(worker); });",
        "    runs_ = runs_ + 1;\n    pool_.run([this](std::uint64_t worker) { advance_share(worker); });"),
        ("  Pool pool_;\n};", "  Pool pool_;\n  volatile unsigned runs_ = 0;\n};")),
]


def share(tree):
    for edit in SHARED:
        edit(tree)


def gate(tree, busy):
    """One run of the default ci/gate: how it ended, in how many seconds, and what it said of the rows."""
    start = time.monotonic()
    with neighbours(busy):
        done = run(["ci/gate"], fine=(0, 1, 3), tree=tree)
    seconds = round(time.monotonic() - start, 1)
    return {"busy": busy, "exit_code": done.returncode, "seconds": seconds}, judged_rows(tree / "results")


def slower(said):
    return sorted(name for name, entry in said.items() if entry["verdict"] == "slower")


def gate_injected(tree, row, busy):
    ran, said = gate(tree, busy)
    return {**ran, **figures_of(said[row]), "others_slower": [name for name in slower(said) if name != row]}


def gate_shared(tree, busy):
    ran, said = gate(tree, busy)
    differ = [entry for entry in said.values()
              if entry["verdict"] != "unavailable" and entry.get("reason") != "identical work"]
    return {**ran, "rows": len(differ), "slower": slower(said),
            "intervals": {name: [said[name][key] for key in ("ratio", "low", "high")] for name in slower(said)},
            "undecided": sum(entry["verdict"] == "undecided" for entry in differ)}


def build(tree, message):
    commit(tree, message)
    run(["ci/build", "ratchet", "ratchet-bench"], tree=tree)


def measure_shared(tree, options):
    share(tree)
    build(tree, "Headers that stages share, to no effect")
    about = circumstances()
    runs = [gate_shared(tree, busy=number % 2 == 1) for number in range(options.runs)]
    append(options.record, {"figure": "shared_header", "runs": runs, **about})
    return True


def measure(tree, options):
    """True where all slowdowns could be injected and gated."""
    done, all_fit = 0, True
    for row, plant in wanted(SLOWDOWNS, options.only).items():
        try:
            plant(tree)
            build(tree, f"{row} does 2 % more")
            about, runs = circumstances(), []
            for _ in range(options.runs):
                runs.append(gate_injected(tree, row, busy=done % 2 == 1))
                done += 1
            append(options.record, {"figure": "injected_source", "row": row, "injected_share": 0.02, "runs": runs,
                                    **about})
        except Failed as error:
            print(f"{row}: {error}", file=sys.stderr, flush=True)
            all_fit = False
        as_cloned(tree)
    return all_fit


def add_options(parser):
    add_record(parser)
    add_clone(parser)
    parser.add_argument("--shared", action="store_true", help="edits of shared headers, equally fast")
    parser.add_argument("--runs", type=int, default=3)


def run_experiment(options):
    with working_clone(options.keep) as tree:
        return 0 if (measure_shared if options.shared else measure)(tree, options) else 2
