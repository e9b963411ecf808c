#include "kernels/support/ranks/ranked_run.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "kernels/support/cuda_device.h"
#include "kernels/support/ranks/commands.h"
#include "kernels/support/ranks/communicator.h"
#include "kernels/support/ranks/gpu.h"
#include "kernels/support/ranks/job.h"
#include "kernels/support/ranks/message.h"
#include "perf/support/error.h"

namespace ratchet::ranks {
namespace {

std::uint64_t next_id() {
  static std::uint64_t id = 0;
  return ++id;
}

const RankedStage& ranked(const Stage& stage) {
  const auto* as_ranked = dynamic_cast<const RankedStage*>(&stage);
  if (!as_ranked) throw Error(stage.info().name + " is not a stage of several ranks");
  return *as_ranked;
}

Bytes to_make(std::uint64_t id, const Stage& stage, bool gpu, const Parameters& parameters,
              Start start) {
  Writer message;
  message.put(Command::make).put(id).put_text(stage.info().name).put(gpu);
  message.put<std::uint64_t>(parameters.all().size());
  for (const Parameter& each : parameters.all()) message.put_text(each.name).put(each.value);
  return message.put_bytes(start).bytes();
}

Bytes to_do(Command command, std::uint64_t id) { return Writer().put(command).put(id).bytes(); }

RankTime hear_time(Job& job, std::uint32_t rank) {
  const Bytes message = job.hear(rank);
  return Reader(message).get<RankTime>();
}

}  // namespace

const std::vector<RankTime>* rank_times_of(const Instance& instance) {
  const auto* ranked = dynamic_cast<const RankTimed*>(&instance);
  return ranked ? &ranked->rank_times() : nullptr;
}

double slowest_s(const std::vector<RankTime>& times) {
  double slowest = 0;
  for (const RankTime& time : times) slowest = std::max(slowest, time.span_s);
  return slowest;
}

DeviceTime slowest_of(const std::vector<RankTime>& times) {
  const double span_s = slowest_s(times);
  double work_s = 0;
  for (const RankTime& time : times) work_s = std::max(work_s, time.work_s);
  return {work_s > 0 ? work_s : span_s, span_s, 0};
}

RankTime timed_run(const std::string& stage, Part& part, Communicator& ranks, bool gpu) {
  RunObserver* const observer = gpu ? run_observer() : nullptr;
  if (observer) observer->prepare(stage);
  ranks.barrier();
  if (observer) observer->started();
  const double talked_before = ranks.seconds();
  const auto begin = std::chrono::steady_clock::now();
  part.run(ranks);
  const std::chrono::duration<double> span = std::chrono::steady_clock::now() - begin;
  const double talked_s = ranks.seconds() - talked_before;
  if (!observer) return {span.count(), talked_s};
  const DeviceSpan device = observer->ended();
  if (!(device.work_s > 0)) return {span.count(), talked_s};
  return {device.end_s, talked_s + device.communication_s, device.work_s, device.sm_clock_mhz};
}

bool takes_gpu(const RankedStage& stage, std::optional<bool> of_rank_0) {
  return stage.takes_gpus() && takes_gpu(cuda_availability(), of_rank_0, run_observer());
}

bool takes_gpu(const Availability& here, std::optional<bool> of_rank_0, RunObserver* observer) {
  if (of_rank_0 && *of_rank_0 != here.ok)
    throw Error(here.ok ? "it has a GPU, and rank 0 has none; use hosts of one kind"
                        : "it has no GPU of its own, and rank 0 has one (" + here.reason +
                              "): start as many ranks a host as it has GPUs");
  if (here.ok && observer)
    if (const std::string why = observer->objection(); !why.empty()) throw Error(why);
  return here.ok;
}

RankedRun::RankedRun(const Stage& stage, const Parameters& parameters, Start start)
    : size_(static_cast<std::uint32_t>(ranks_of(parameters))),
      id_(next_id()),
      stage_(stage.info().name),
      gpu_(ranked(stage).takes_gpus() && cuda_availability().ok) {
  const Availability enough = enough_ranks(size_);
  if (!enough.ok) throw Error(stage.info().name + ": " + enough.reason);
  if (size_ == 1) {
    alone_ = make_alone();
    ranks_ = alone_.get();
    takes_gpu(ranked(stage));
    part_ = ranked(stage).make_part(parameters, {0, 1, 0, gpu_}, start);
  } else {
    make_parts(stage, parameters, start);
  }
  times_.resize(size_);
}

/// Every rank answers even if another fails, so that the job continues after a failure.
void RankedRun::make_parts(const Stage& stage, const Parameters& parameters, Start start) {
  tell_others(to_make(id_, stage, gpu_, parameters, start));
  ranks_ = &job()->first(size_);
  std::string failed;
  try {
    takes_gpu(ranked(stage));
    part_ = ranked(stage).make_part(parameters, {0, size_, job()->local_rank(), gpu_}, start);
  } catch (const std::exception& error) {
    failed = job()->name_of(0) + ": " + error.what();
  }
  std::map<std::string, std::uint32_t> owners;
  if (gpu_) owners.emplace(gpu_identity(), 0);
  for (std::uint32_t rank = 1; rank < size_; ++rank) {
    const Bytes answer = job()->hear(rank);
    Reader told(answer);
    std::string why = told.get_text();
    const std::string gpu = told.get_text();
    if (why.empty() && !gpu.empty() && !owners.emplace(gpu, rank).second)
      why = "its GPU is that of " + job()->name_of(owners.at(gpu)) +
            ", too: start as many ranks a host as it has GPUs";
    if (failed.empty() && !why.empty()) failed = job()->name_of(rank) + ": " + why;
  }
  if (failed.empty()) return;
  tell_others(to_do(Command::drop, id_));
  throw Error(stage.info().name + " cannot be prepared on " + failed);
}

RankedRun::~RankedRun() { tell_others(to_do(Command::drop, id_)); }

void RankedRun::tell_others(const Bytes& message) {
  for (std::uint32_t rank = 1; rank < size_; ++rank) job()->tell(rank, message);
}

void RankedRun::run() {
  tell_others(to_do(Command::run, id_));
  if (size_ == 1) {
    times_[0] = timed_run(stage_, *part_, *ranks_, gpu_);
    return;
  }
  try {
    times_[0] = timed_run(stage_, *part_, *ranks_, gpu_);
  } catch (const std::exception& error) {  // the other ranks wait for this one
    job()->abandon(job()->name_of(0) + " failed in its run: " + error.what());
  }
  for (std::uint32_t rank = 1; rank < size_; ++rank) times_[rank] = hear_time(*job(), rank);
}

void RankedRun::reset() {
  tell_others(to_do(Command::reset, id_));
  part_->reset();
}

void RankedRun::gather() {
  tell_others(to_do(Command::gather, id_));
  part_->gather(*ranks_);
}

}  // namespace ratchet::ranks
