// A job whose rank 1 has a fault, started by mpirun:
//
//   faulty_ranks none|memory|throws|killed|hangs
//
// prepares and runs a stage with the fault, then one without, and prints what came of each: "sum 3"
// where two ranks added up their numbers from 1 on, or the error.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "perf/support/error.h"
#include "kernels/support/ranks/job.h"
#include "kernels/support/ranks/ranked_run.h"

namespace ratchet {
namespace {

const char* const kFaults[] = {"none", "memory", "throws", "killed", "hangs"};

class Sum final : public ranks::Part {
 public:
  Sum(std::uint64_t fault, const ranks::Place& place)
      : fault_(place.rank == 1 ? kFaults[fault] : "none") {
    if (fault_ == "memory") throw std::bad_alloc();
  }
  void run(ranks::Communicator& ranks) override {
    if (fault_ == "throws") throw Error("a fault on purpose");
    if (fault_ == "killed") raise(SIGKILL);
    if (fault_ == "hangs")
      for (;;) pause();
    sum = ranks.rank() + 1;
    ranks.all_reduce(&sum, 1, ranks::Fold::sum);
  }
  std::uint64_t sum = 0;

 private:
  std::string fault_;
};

class SumStage final : public Stage, public ranks::RankedStage {
 public:
  SumStage()
      : Stage(ranks::ranked_info({.name = "toy/mpi/01_sum",
                                  .summary = "s",
                                  .source = "ratchet",
                                  .unit = "numbers",
                                  .parameters = {{"fault", 0, 0, 4, "of rank 1"}}})) {}
  std::unique_ptr<Instance> prepare(const Parameters&) const override { return nullptr; }
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start) const override {
    return std::make_unique<Sum>(parameters.at("fault"), place);
  }
};

const Registration registered{std::make_unique<SumStage>()};

void add_up(std::uint64_t fault) {
  const Stage& stage = *find_stage("toy/mpi/01_sum");
  try {
    ranks::RankedRun ranked(stage, stage.defaults().set("fault", fault));
    ranked.run();
    std::printf("sum %llu\n",
                static_cast<unsigned long long>(static_cast<Sum&>(ranked.mine()).sum));
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace ratchet

int main(int argc, char** argv) {
  try {
    const ratchet::ranks::Session session;
    std::uint64_t fault = 0;
    while (argc > 1 && fault < 4 && std::strcmp(argv[1], ratchet::kFaults[fault]) != 0) ++fault;
    ratchet::add_up(fault);
    ratchet::add_up(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "faulty_ranks: %s\n", error.what());
    return 2;
  }
}
