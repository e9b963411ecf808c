// The loop of the ranks that execute rank 0's commands.
#include <map>
#include <memory>

#include "kernels/support/ranks/commands.h"
#include "kernels/support/ranks/gpu.h"
#include "kernels/support/ranks/job.h"
#include "kernels/support/ranks/message.h"
#include "kernels/support/ranks/ranked_run.h"
#include "perf/support/error.h"

namespace ratchet::ranks {
namespace {

/// The parts of one rank, by the number of their RankedRun.
class Follower {
 public:
  explicit Follower(Job& job) : job_(job) {}

  void obey(Reader message) {
    const auto command = message.get<Command>();
    const auto id = message.get<std::uint64_t>();
    switch (command) {
      case Command::make:
        return make(id, message);
      case Command::run:
        return job_.tell(0, Writer().put(run(held_.at(id))).bytes());
      case Command::reset:
        return held_.at(id).part->reset();
      case Command::gather:
        return held_.at(id).part->gather(*held_.at(id).ranks);
      case Command::drop:
        held_.erase(id);
        return;
    }
  }

 private:
  struct Held {
    std::string stage;
    bool gpu = false;
    Communicator* ranks = nullptr;
    std::unique_ptr<Part> part;
  };

  void make(std::uint64_t id, Reader& message) {
    std::string failed;
    try {
      held_[id] = made(message);
    } catch (const std::exception& error) {
      failed = error.what();
    }
    const bool gpu = held_.contains(id) && held_.at(id).gpu;
    job_.tell(0, Writer().put_text(failed).put_text(gpu ? gpu_identity() : "").bytes());
  }

  Held made(Reader& message) {
    const std::string name = message.get_text();
    const bool of_rank_0 = message.get<bool>();
    ParameterPoint point;
    for (auto left = message.get<std::uint64_t>(); left > 0; --left) {
      const std::string parameter = message.get_text();
      point.emplace_back(parameter, message.get<std::uint64_t>());
    }
    // Before anything that may fail on this rank alone: creating a communicator is collective.
    const auto size = ranks_in(point);
    Communicator& ranks = job_.first(size);
    const Stage* stage = find_stage(name);
    const auto* ranked = dynamic_cast<const RankedStage*>(stage);
    if (!ranked)
      throw Error("its program has no stage " + name + "; start the same file on every host");
    const bool gpu = takes_gpu(*ranked, of_rank_0);
    const Parameters parameters = stage->defaults().set(point);
    const Place place{job_.rank(), size, job_.local_rank(), gpu};
    return {name, gpu, &ranks, ranked->make_part(parameters, place, message.get_bytes())};
  }
  static std::uint32_t ranks_in(const ParameterPoint& point) {
    for (const auto& [name, value] : point)
      if (name == "ranks") return static_cast<std::uint32_t>(value);
    return 1;
  }

  RankTime run(Held& held) {
    try {
      return timed_run(held.stage, *held.part, *held.ranks, held.gpu);
    } catch (const std::exception& error) {
      throw Error("in a run of " + held.stage + ": " + error.what());
    }
  }

  Job& job_;
  std::map<std::uint64_t, Held> held_;
};

}  // namespace

void follow(Job& job) {
  Follower follower(job);
  for (Bytes message = job.hear(0); !message.empty(); message = job.hear(0))
    follower.obey(Reader(message));
}

}  // namespace ratchet::ranks
