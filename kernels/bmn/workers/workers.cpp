#include "kernels/bmn/workers/workers.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "perf/support/error.h"

namespace ratchet::bmn {
namespace {

/// Joins on the way out, so that a thread that could not be started does not end the program.
struct Joined {
  std::vector<std::thread> threads;
  ~Joined() {
    for (auto& thread : threads)
      if (thread.joinable()) thread.join();
  }
};

/// Even shares of `job`, one a thread, the first on the calling one.
HostRecord play_shared(const HostJob& job, std::uint64_t threads, PlayJob play) {
  std::vector<HostRecord> records;
  const std::uint64_t deals = job.end - job.first;
  HostJob share = job;
  std::vector<HostJob> shares;
  for (std::uint64_t t = 0; t < threads; ++t) {
    share.end = share.first + deals / threads + (t < deals % threads ? 1 : 0);
    shares.push_back(share);
    records.emplace_back(share);
    share.first = share.end;
  }
  std::vector<std::exception_ptr> failures(threads);
  const auto work = [&](std::uint64_t t) {
    try {
      play(shares[t], records[t]);
    } catch (...) {
      failures[t] = std::current_exception();
    }
  };
  {
    Joined others;
    try {
      for (std::uint64_t t = 1; t < threads; ++t) others.threads.emplace_back(work, t);
    } catch (const std::system_error& refused) {
      throw Error("the system gave no more than " + std::to_string(others.threads.size() + 1) +
                  " of " + std::to_string(threads) + " threads: " + refused.what());
    }
    work(0);
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  for (std::uint64_t t = 1; t < threads; ++t) records[0].merge(records[t]);
  return records[0];
}

class CpuTable final : public Table {
 public:
  CpuTable(const Parameters& parameters, HostJob job, PlayJob play)
      : job_(std::move(job)),
        deals_(parameters.at("deals")),
        threads_(parameters.at("threads")),
        play_(play),
        record_(job_) {}

  void run() override {
    job_.first = job_.end;
    job_.end += deals_;
    record_ = play_shared(job_, threads_, play_);
  }
  std::uint64_t units() const override { return deals_; }
  Result collect() override { return record_.result(); }

 private:
  HostJob job_;
  std::uint64_t deals_, threads_;
  PlayJob play_;
  HostRecord record_;
};

/// `survey`: whether the text has figures for numbers of threads.
StageInfo with_threads(StageInfo info, bool survey) {
  info.parameters.push_back({"threads", 1, 1, 1024, "threads, an even share of the deals each"});
  info.threads = "threads";
  if (!survey) return info;
  for (const std::uint64_t threads : {2, 4, 6, 8, 12, 16})
    info.survey.push_back({{"threads", threads}});
  return info;
}

std::vector<Outcome> play_each(const Parameters& parameters, HostJob job, std::uint64_t deals,
                               PlayJob play) {
  // What is not overwritten is no outcome.
  std::vector<Outcome> each(deals, Outcome{~0u, ~0u, ~0u});
  job.end = deals;
  job.each = each.data();
  play_shared(job, parameters.at("threads"), play);
  return each;
}

bool longer(std::uint32_t length, std::uint64_t index, std::uint32_t best, std::uint64_t best_index,
            bool none) {
  return none || length > best || (length == best && index < best_index);
}

void keep_longest(Result& sums, const Game& game, bool none) {
  Game& turns = sums.most_turns;
  if (longer(game.outcome.turns, game.index, turns.outcome.turns, turns.index, none)) turns = game;
  Game& tricks = sums.most_tricks;
  if (longer(game.outcome.tricks, game.index, tricks.outcome.tricks, tricks.index, none))
    tricks = game;
}

}  // namespace

HostRecord::HostRecord(const HostJob& job, Result sums) : job_(job), sums_(std::move(sums)) {}

void HostRecord::game(std::uint64_t index, Outcome outcome) {
  const bool capped = outcome.turns > job_.cap;
  if (capped) outcome = Outcome{};
  if (job_.each != nullptr) job_.each[index - job_.origin] = outcome;
  ++sums_.deals;
  sums_.digest += digest_of(index, outcome);
  if (capped) {
    ++sums_.capped;
    if (sums_.capped_games.size() < kCappedKept) sums_.capped_games.push_back({index, outcome, {}});
    return;
  }
  keep_longest(sums_, {index, outcome, {}}, sums_.finished == 0);
  ++sums_.finished;
  sums_.turns += outcome.turns;
  sums_.tricks += outcome.tricks;
  ++sums_.wins[outcome.winner];
  ++sums_.lengths[bin_of(outcome.turns)];
}

void HostRecord::merge(const HostRecord& later) {
  const Result& more = later.sums_;
  if (more.finished > 0) {
    keep_longest(sums_, more.most_turns, sums_.finished == 0);
    keep_longest(sums_, more.most_tricks, false);  // it has been beside the other since
  }
  sums_.deals += more.deals;
  sums_.finished += more.finished;
  sums_.capped += more.capped;
  sums_.turns += more.turns;
  sums_.tricks += more.tricks;
  for (unsigned player = 0; player < 2; ++player) sums_.wins[player] += more.wins[player];
  sums_.digest += more.digest;
  for (unsigned bin = 0; bin < kBins; ++bin) sums_.lengths[bin] += more.lengths[bin];
  const std::size_t room = kCappedKept - sums_.capped_games.size();
  const std::size_t taken = std::min(room, more.capped_games.size());
  sums_.capped_games.insert(sums_.capped_games.end(), more.capped_games.begin(),
                            more.capped_games.begin() + static_cast<std::ptrdiff_t>(taken));
}

Result HostRecord::result() const {
  Result result = sums_;
  if (result.finished > 0) {
    result.most_turns.deal = job_.deal(result.most_turns.index);
    result.most_tricks.deal = job_.deal(result.most_tricks.index);
  }
  std::sort(result.capped_games.begin(), result.capped_games.end(),
            [](const Game& a, const Game& b) { return a.index < b.index; });
  for (Game& game : result.capped_games) game.deal = job_.deal(game.index);
  return result;
}

CpuBmnStage::CpuBmnStage(StageInfo info, PlayJob play, DealOf deal_of)
    : BmnStage(with_threads(std::move(info), !deal_of)),
      play_(play),
      deal_of_(std::move(deal_of)) {}

HostJob CpuBmnStage::job_of(const Parameters& parameters) const {
  HostJob job;
  job.cap = static_cast<std::uint32_t>(parameters.at("cap"));
  if (parameters.has("seed")) job.seed = parameters.at("seed");
  if (deal_of_)
    job.made = [this, parameters](std::uint64_t index) { return deal_of_(parameters, index); };
  return job;
}
Deal CpuBmnStage::deal(const Parameters& parameters, std::uint64_t index) const {
  return job_of(parameters).deal(index);
}
std::unique_ptr<Table> CpuBmnStage::prepare_table(const Parameters& parameters) const {
  return std::make_unique<CpuTable>(parameters, job_of(parameters), play_);
}
std::vector<Outcome> CpuBmnStage::games(const Parameters& parameters) const {
  return play_each(parameters, job_of(parameters), parameters.at("deals"), play_);
}
std::vector<Outcome> CpuBmnStage::play(const Parameters& parameters,
                                       std::span<const Deal> deals) const {
  HostJob job = job_of(parameters);
  job.given = deals.data();
  return play_each(parameters, job, deals.size(), play_);
}

}  // namespace ratchet::bmn
