#include "kernels/support/ranks/ranked_run.h"

#include <algorithm>
#include <chrono>

#include "kernels/support/error.h"
#include "kernels/support/ranks/alone.h"
#include "kernels/support/ranks/commands.h"
#include "kernels/support/ranks/job.h"
#include "kernels/support/ranks/message.h"

namespace ratchet::ranks {
namespace {

std::uint64_t next_id() {
  static std::uint64_t id = 0;
  return ++id;
}

const RankedStage& ranked(const Stage& stage) {
  const auto* as_ranked = dynamic_cast<const RankedStage*>(&stage);
  if (!as_ranked) throw Error(stage.info().name + " is no stage of several ranks");
  return *as_ranked;
}

Bytes to_make(std::uint64_t id, const Stage& stage, const Parameters& parameters, Start start) {
  Writer message;
  message.put(Command::make).put(id).put_text(stage.info().name);
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

RankTime timed_run(Part& part, Communicator& ranks) {
  ranks.barrier();
  const double talked_before = ranks.seconds();
  const auto begin = std::chrono::steady_clock::now();
  part.run(ranks);
  const std::chrono::duration<double> span = std::chrono::steady_clock::now() - begin;
  return {span.count(), ranks.seconds() - talked_before};
}

RankedRun::RankedRun(const Stage& stage, const Parameters& parameters, Start start)
    : size_(static_cast<std::uint32_t>(ranks_of(parameters))), id_(next_id()) {
  const Availability enough = enough_ranks(size_);
  if (!enough.ok) throw Error(stage.info().name + ": " + enough.reason);
  if (size_ == 1) {
    alone_ = make_alone();
    ranks_ = alone_.get();
    part_ = ranked(stage).make_part(parameters, {}, start);
  } else {
    make_parts(stage, parameters, start);
  }
  times_.resize(size_);
}

/// Every rank answers, whatever happens on another: the job goes on after a failure.
void RankedRun::make_parts(const Stage& stage, const Parameters& parameters, Start start) {
  tell_others(to_make(id_, stage, parameters, start));
  ranks_ = &job()->first(size_);
  std::string failed;
  try {
    part_ = ranked(stage).make_part(parameters, {0, size_, job()->local_rank()}, start);
  } catch (const std::exception& error) {
    failed = job()->name_of(0) + ": " + error.what();
  }
  for (std::uint32_t rank = 1; rank < size_; ++rank) {
    const Bytes answer = job()->hear(rank);
    const std::string why = Reader(answer).get_text();
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
    times_[0] = timed_run(*part_, *ranks_);
    return;
  }
  try {
    times_[0] = timed_run(*part_, *ranks_);
  } catch (const std::exception& error) {  // the others wait for this one
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
