// bmn/mpi/01_shares
// Changed:  04 on several processes: each plays an even share of the deals, the records are merged
//           in the order of the ranks.
// Why:      games share nothing, and a record is 2 KB. A deal is a function of its index, so that
//           any number of ranks plays the same games and finds the same counts, longest games and
//           games that do not end, bit for bit. (Of more than 4096 of the last, those that are kept
//           are the first that were found: with more than one rank others of them may be.)
// Expected: as many times 04 as there are ranks, each on a CPU of its own.
// Got:      two ranks 1.94 times {= intel-xeon-2c 01_shares/ranks:2 /s / /s} one, on 2 processors.
// Source:   ratchet.

#include <utility>

#include "kernels/bmn/workers/workers.h"
#include "kernels/support/error.h"
#include "kernels/support/ranks/message.h"
#include "kernels/support/ranks/ranked_run.h"
#include "kernels/support/stage_part.h"

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
  SharesPart(const Parameters& parameters, const ranks::Place& place)
      : deals_(parameters.at("deals")), place_(place), record_(job_) {
    job_.seed = parameters.at("seed");
    job_.cap = static_cast<std::uint32_t>(parameters.at("cap"));
  }

  void run(ranks::Communicator& ranks) override {
    job_.first = first_deal_ + ranks::share_begin(deals_, place_.size, place_.rank);
    job_.end = first_deal_ + ranks::share_begin(deals_, place_.size, place_.rank + 1);
    first_deal_ += deals_;
    record_ = HostRecord(job_);
    play_planes(job_, record_);
    if (place_.rank > 0) return send(ranks);
    for (std::uint32_t rank = 1; rank < place_.size; ++rank)
      record_.merge(HostRecord(job_, received(ranks, rank)));
  }

  Result result() const { return record_.result(); }

 private:
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

class SharesStage final : public BmnStage, public ranks::RankedStage {
 public:
  using BmnStage::BmnStage;
  std::unique_ptr<Table> prepare_table(const Parameters& parameters) const override {
    return std::make_unique<SharesTable>(*this, parameters);
  }
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start) const override {
    return std::make_unique<SharesPart>(parameters, place);
  }
  // The probes are those of the stage whose body the ranks play with.
  std::vector<Outcome> games(const Parameters& parameters) const override {
    return planes().games(for_planes(parameters));
  }
  std::vector<Outcome> play(const Parameters& parameters,
                            std::span<const Deal> deals) const override {
    return planes().play(for_planes(parameters), deals);
  }

 private:
  static const BmnStage& planes() {
    return dynamic_cast<const BmnStage&>(*find_part<"bmn/cpu/04_planes">());
  }
  static Parameters for_planes(const Parameters& parameters) {
    Parameters theirs = planes().defaults();
    for (const char* name : {"deals", "seed", "cap"}) theirs.set(name, parameters.at(name));
    return theirs;
  }
};

const Registration registered{std::make_unique<SharesStage>(ranks::ranked_info(
    stage_info({.name = "bmn/mpi/01_shares",
                .summary = "04_planes on several processes, the same games on any number",
                .source = "ratchet",
                .parameters = common_parameters(4'000'000)})))};

}  // namespace
}  // namespace ratchet::bmn
