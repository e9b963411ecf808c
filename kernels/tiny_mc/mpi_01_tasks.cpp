// tiny_mc/mpi/01_tasks
// Changed:  03 on several processes: the tasks of photons are dealt evenly to the ranks, and rank 0
//           adds the tallies of all tasks in the order of their index.
// Why:      photons share nothing. A tally is a sum of doubles, which depends on the order; in that
//           of 02 and 03 it is theirs bit for bit, whatever the number of ranks. The price is to
//           send every task's tally: 1.6 MB in all by default, however many photons there are.
// Expected: as many times 02 as there are ranks, each on a CPU of its own, less a millisecond.
// Source:   barufa, "Resultados", the loop of run_both_tiny_mc, on processes.

#include <algorithm>

#include "kernels/support/ranks/ranked_run.h"
#include "kernels/tiny_mc/walks/cpu_bodies.h"
#include "kernels/tiny_mc/walks/cpu_stage.h"

namespace ratchet::tiny_mc {
namespace {

class TasksPart final : public ranks::Part {
 public:
  TasksPart(const Parameters& parameters, const Body& body, const ranks::Place& place)
      : job_(parameters),
        body_(body),
        tasks_(parameters.at("photons")),
        rank_(place.rank),
        size_(place.size),
        tally_(job_.medium.shells),
        sums_(sums_of_tasks(tasks_of(rank_))),
        theirs_(rank_ == 0 ? sums_of_tasks(most_tasks()) : 0),
        total_(job_.medium.shells) {}

  void run(ranks::Communicator& ranks) override {
    std::uint64_t photons = 0;
    for (std::uint32_t i = 0; i < tasks_of(rank_); ++i) {
      tasks_.simulate(body_, job_, first_stream_, first_task(rank_) + i, tally_);
      photons += tally_.photons;
      const auto sums = sums_.begin() + static_cast<std::ptrdiff_t>(sums_of_tasks(i));
      std::copy(tally_.heat2.begin(), tally_.heat2.end(),
                std::copy(tally_.heat.begin(), tally_.heat.end(), sums));
    }
    first_stream_ += tasks_.chunks();
    ranks.all_reduce(&photons, 1, ranks::Fold::sum);
    if (rank_ > 0)
      ranks.send(sums_.data(), sums_.size() * sizeof(double), 0);
    else
      add_up(ranks, photons);
  }

  const Tally& total() const { return total_; }

 private:
  std::uint32_t first_task(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(ranks::share_begin(tasks_.size(), size_, rank));
  }
  std::uint32_t tasks_of(std::uint32_t rank) const {
    return first_task(rank + 1) - first_task(rank);
  }
  std::uint32_t most_tasks() const { return tasks_of(0); }
  std::size_t sums_of_tasks(std::uint32_t tasks) const {
    return std::size_t{2} * job_.medium.shells * tasks;
  }

  void add_up(ranks::Communicator& ranks, std::uint64_t photons) {
    total_ = Tally(job_.medium.shells);
    add(sums_, tasks_of(0));
    for (std::uint32_t rank = 1; rank < size_; ++rank) {
      ranks.receive(theirs_.data(), sums_of_tasks(tasks_of(rank)) * sizeof(double), rank);
      add(theirs_, tasks_of(rank));
    }
    total_.photons = photons;
  }
  void add(const std::vector<double>& sums, std::uint32_t tasks) {
    const double* from = sums.data();
    for (std::uint32_t task = 0; task < tasks; ++task)
      for (std::vector<double>* to : {&total_.heat, &total_.heat2})
        for (double& sum : *to) sum += *from++;
  }

  Job job_;
  Body body_;
  Tasks tasks_;
  std::uint32_t rank_, size_;
  std::uint64_t first_stream_ = 0;
  Tally tally_;                        ///< of the task at hand
  std::vector<double> sums_, theirs_;  ///< heat and heat2 of each task of a rank, in order
  Tally total_;
};

class TasksTransport final : public ranks::RankedInstance<Transport> {
 public:
  TasksTransport(const Stage& stage, const Parameters& parameters)
      : RankedInstance(stage, parameters), photons_(parameters.at("photons")) {}
  std::uint64_t units() const override { return photons_; }
  Tally collect() override { return static_cast<TasksPart&>(ranked().mine()).total(); }

 private:
  std::uint64_t photons_;
};

class TasksStage final : public CpuStage, public ranks::RankedStage {
 public:
  using CpuStage::CpuStage;
  std::unique_ptr<Transport> prepare_transport(const Parameters& parameters) const override {
    return std::make_unique<TasksTransport>(*this, parameters);
  }
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start) const override {
    return std::make_unique<TasksPart>(parameters, body(), place);
  }
};

const Registration registered{std::make_unique<TasksStage>(
    ranks::ranked_info(
        stage_info({.name = RATCHET_STAGE,
                    .summary = "02_simd on several processes, bit for bit the same on any number",
                    .source = text("Resultados"),
                    .parameters = common_parameters(800'000)})),
    Walk::full, rejection_body(), kRejectionDraws)};

}  // namespace
}  // namespace ratchet::tiny_mc
