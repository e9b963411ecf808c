#include "kernels/bmn/ranked/shares.h"

#include <utility>

#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::bmn {
namespace {

/// The numbers of a record, without its list.
struct Numbers {
  explicit Numbers(const Result& of)
      : deals(of.deals),
        finished(of.finished),
        capped(of.capped),
        turns(of.turns),
        tricks(of.tricks),
        digest(of.digest),
        wins(of.wins),
        lengths(of.lengths),
        most_turns(of.most_turns),
        most_tricks(of.most_tricks) {}
  Numbers() = default;
  Result result() const {
    return {deals,  finished, capped,     turns,       tricks, wins,
            digest, lengths,  most_turns, most_tricks, {}};
  }
  std::uint64_t deals, finished, capped, turns, tricks, digest;
  std::array<std::uint64_t, 2> wins;
  std::array<std::uint64_t, kBins> lengths;
  Game most_turns, most_tricks;
};

class SharesPart final : public ranks::Part {
 public:
  SharesPart(const Parameters& parameters, const ranks::Place& place, PlayShare play)
      : deals_(parameters.at("deals")), place_(place), play_(std::move(play)), record_(job_) {
    job_.seed = parameters.at("seed");
    job_.cap = static_cast<std::uint32_t>(parameters.at("cap"));
  }

  void run(ranks::Communicator& ranks) override {
    job_.first = first_deal_ + ranks::share_begin(deals_, place_.size, place_.rank);
    job_.end = first_deal_ + ranks::share_begin(deals_, place_.size, place_.rank + 1);
    first_deal_ += deals_;
    record_ = HostRecord(job_, play_(job_));
    if (place_.rank > 0) return send(ranks);
    for (std::uint32_t rank = 1; rank < place_.size; ++rank)
      merge(HostRecord(job_, received(ranks, rank)));
  }

  Result result() const { return record_.result(); }

 private:
  /// The other way round where nothing was finished so far: HostRecord::merge() would then take one
  /// game for the longest both by turns and by tricks.
  void merge(HostRecord later) {
    if (record_.sums().finished > 0) return record_.merge(later);
    later.merge(record_);
    record_ = std::move(later);
  }
  void send(ranks::Communicator& ranks) const {
    const Result& mine = record_.sums();
    const Numbers numbers(mine);
    const std::uint64_t games = mine.capped_games.size();
    ranks.start_send(&numbers, sizeof numbers, 0);
    ranks.start_send(&games, sizeof games, 0);
    ranks.start_send(mine.capped_games.data(), games * sizeof(Game), 0);
    ranks.finish();
  }
  static Result received(ranks::Communicator& ranks, std::uint32_t from) {
    Numbers numbers;
    std::uint64_t games = 0;
    ranks.start_receive(&numbers, sizeof numbers, from);
    ranks.start_receive(&games, sizeof games, from);
    ranks.finish();
    Result result = numbers.result();
    result.capped_games.resize(games);
    ranks.receive(result.capped_games.data(), games * sizeof(Game), from);
    return result;
  }

  std::uint64_t deals_, first_deal_ = 0;
  ranks::Place place_;
  PlayShare play_;
  HostJob job_;
  HostRecord record_;
};

class SharesTable final : public ranks::RankedInstance<Table> {
 public:
  SharesTable(const Stage& stage, const Parameters& parameters)
      : RankedInstance(stage, parameters), deals_(parameters.at("deals")) {}
  std::uint64_t units() const override { return deals_; }
  Result collect() override { return static_cast<SharesPart&>(ranked().mine()).result(); }

 private:
  std::uint64_t deals_;
};

}  // namespace

Result play_share_on_cpu(const HostJob& job) {
  HostRecord record(job);
  play_planes(job, record);
  return record.sums();
}

std::unique_ptr<ranks::Part> make_shares_part(const Parameters& parameters,
                                              const ranks::Place& place, PlayShare play) {
  return std::make_unique<SharesPart>(parameters, place, std::move(play));
}

std::unique_ptr<Table> make_shares_table(const Stage& stage, const Parameters& parameters) {
  return std::make_unique<SharesTable>(stage, parameters);
}

}  // namespace ratchet::bmn
