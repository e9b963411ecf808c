// officers/mpi/01_spread_verification
// Changed:  07 on several processes: rank 0 finds values, a piece at a time, and tells them to all;
//           each other rank verifies its share of the piece, while rank 0 finds the next.
// Why:      each value may depend on the one before, so that finding stays on one rank; to verify a
//           value takes those before it and nobody's answer. What a rank cannot verify goes to rank
//           0, which decides it by the definition, and a rare value that is found so has all after
//           it computed anew: the values are those of one process, whatever the number of ranks.
// Expected: verification is some 36 % of 07, so that two ranks are at most 1.56 times one, and more
//           than two gain nothing: 0.7 us a value on rank 0, 0.4 us shared by the others.
// Source:   ratchet.

#include <algorithm>
#include <exception>
#include <span>

#include "kernels/officers/front/plan.h"
#include "kernels/officers/officers.h"
#include "kernels/officers/ranked/spread.h"
#include "kernels/officers/rare_values/rare_values.h"
#include "kernels/officers/simd/tables.h"
#include "kernels/officers/values/checkpoint.h"
#include "perf/support/error.h"
#include "kernels/support/ranks/ranked_run.h"
#include "kernels/support/rng/splitmix64.h"

namespace ratchet::officers {
namespace {

/// What a rank verified.
struct Verified {
  std::uint64_t proof = 0;              ///< the sum of mark() of every value, modulo 2^64
  std::uint64_t sums = 0, deepest = 0;  ///< as Work's
  std::uint64_t undecided = 0;          ///< values for which the vectors did not do

  static std::uint64_t mark(std::uint64_t offset, std::uint8_t byte) {
    return SplitMix64(offset << 8 | byte).next64();
  }
};

class SpreadPart final : public ranks::Part {
 public:
  SpreadPart(const Parameters& parameters, const ranks::Place& place, ranks::Start start)
      : place_(place),
        count_(parameters.at("count")),
        piece_(parameters.at("piece")),
        from_(state_from_bytes({reinterpret_cast<const char*>(start.data()), start.size()},
                               "the state that rank 0 sent")) {}

  void run(ranks::Communicator& ranks) override {
    values_.clear(), work_ = {}, error_ = nullptr;
    State state = from_;
    find_first(ranks, state);
    if (state.next >= kCommonFrom && !state.late_rare()) spread(ranks, state);
    keeping_errors([&] {
      if (values_.size() < count_) compute_anew(from_, values_, values_.size(), count_);
    });
  }

  Result result() const {
    if (error_) std::rethrow_exception(error_);
    return {from_.next, values_, work_};
  }

 private:
  /// What rank 0 alone does. A value that cannot be is no fault of a rank, which would end the job:
  /// who collects the result hears of it.
  template <class Do>
  void keeping_errors(const Do& act) {
    if (place_.rank > 0 || error_) return;
    try {
      act();
    } catch (const Error&) {
      error_ = std::current_exception();
    }
  }

  /// The values before kCommonFrom, for which there are no vectors.
  void find_first(ranks::Communicator& ranks, State& state) {
    const std::uint64_t end = std::min(state.next + count_, kCommonFrom);
    if (state.next >= end) return;
    keeping_errors([&] {
      for (RareValues first(state); state.next + values_.size() < end;)
        values_.push_back(first.next(work_));
    });
    std::uint64_t found = values_.size();
    ranks.broadcast(&found, sizeof found, 0);
    values_.resize(found);
    ranks.broadcast(values_.data(), found * sizeof values_[0], 0);
    state.append(values_);
  }

  void spread(ranks::Communicator& ranks, const State& state) {
    const std::uint64_t left = count_ - values_.size();
    Tables tables(state, left);
    Verified mine;
    std::vector<std::uint64_t> undecided;
    std::uint64_t found = 0;
    for (bool on = left > 0; on;) {
      const std::uint64_t asked = std::min(piece_, left - found);
      std::uint64_t made = 0;
      if (place_.rank == 0) made = find_by_vectors(tables.job(found, asked), work_);
      ranks.broadcast(&made, sizeof made, 0);
      ranks.broadcast(&tables.value(found), made, 0);
      verify_share(tables, found, made, mine.proof, undecided);
      found += made;
      on = made == asked && found < left;
    }
    mine.undecided = undecided.size();
    mine.sums = work_.verifying, mine.deepest = work_.deepest;
    if (place_.rank > 0) return send(ranks, mine, undecided);
    for (std::uint32_t rank = 1; rank < place_.size; ++rank) hear(ranks, rank, mine, undecided);
    keeping_errors([&] { decide_values(state, tables, found, mine.proof, undecided); });
  }

  /// Rank 0 has enough to do, unless it is alone.
  void verify_share(Tables& tables, std::uint64_t first, std::uint64_t count, std::uint64_t& proof,
                    std::vector<std::uint64_t>& undecided) {
    if (place_.rank == 0 && place_.size > 1) return;
    const std::uint32_t sharers = std::max(place_.size - 1, 1u);
    const std::uint32_t sharer = std::max(place_.rank, 1u) - 1;
    const std::uint64_t begin = first + ranks::share_begin(count, sharers, sharer);
    const std::uint64_t end = first + ranks::share_begin(count, sharers, sharer + 1);
    const std::size_t before = undecided.size();
    verify_by_vectors(tables.job(begin, end - begin), undecided, work_);
    for (std::size_t i = before; i < undecided.size(); ++i) undecided[i] += begin;
    for (std::uint64_t at = begin; at < end; ++at) proof += Verified::mark(at, tables.value(at));
  }

  static void send(ranks::Communicator& ranks, const Verified& mine,
                   const std::vector<std::uint64_t>& undecided) {
    ranks.start_send(&mine, sizeof mine, 0);
    ranks.start_send(undecided.data(), undecided.size() * sizeof undecided[0], 0);
    ranks.finish();
  }
  void hear(ranks::Communicator& ranks, std::uint32_t rank, Verified& all,
            std::vector<std::uint64_t>& undecided) {
    Verified theirs;
    ranks.receive(&theirs, sizeof theirs, rank);
    undecided.resize(all.undecided + theirs.undecided);
    ranks.receive(undecided.data() + all.undecided, theirs.undecided * sizeof undecided[0], rank);
    all.proof += theirs.proof, all.undecided += theirs.undecided;
    work_.verifying += theirs.sums, work_.deepest = std::max(work_.deepest, theirs.deepest);
  }

  /// Adds the values that were found, as far as they are right.
  void decide_values(const State& state, Tables& tables, std::uint64_t found, std::uint64_t proof,
                     const std::vector<std::uint64_t>& undecided) {
    std::vector<std::uint8_t> bytes(found);
    for (std::uint64_t at = 0; at < found; ++at) {
      bytes[at] = tables.value(at);
      proof -= Verified::mark(at, bytes[at]);
    }
    if (proof != 0)
      throw Error(
          "officers: the ranks verified other values than rank 0 has found: a fault of the "
          "program, or of what carries messages");
    const auto values = front::decide(state, bytes, {undecided.begin(), undecided.end()}, work_);
    values_.insert(values_.end(), values.begin(), values.end());
  }

  ranks::Place place_;
  std::uint64_t count_, piece_;
  State from_;
  std::vector<std::uint16_t> values_;  ///< on rank 0 all, elsewhere the first
  Work work_;
  std::exception_ptr error_;
};

class SpreadRun final : public ranks::RankedInstance<Run> {
 public:
  SpreadRun(const Stage& stage, const Parameters& parameters, const std::string& state)
      : RankedInstance(stage, parameters, std::as_bytes(std::span(state))),
        count_(parameters.at("count")) {}
  std::uint64_t units() const override { return count_; }
  Result collect() override { return static_cast<SpreadPart&>(ranked().mine()).result(); }

 private:
  std::uint64_t count_;
};

class SpreadStage final : public OfficersStage, public ranks::RankedStage {
 public:
  SpreadStage() : OfficersStage(make_info(), true) {}
  std::unique_ptr<Run> prepare_run(const Parameters& parameters, const State& from) const override {
    return std::make_unique<SpreadRun>(*this, parameters, checkpoint_bytes(from));
  }
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start start) const override {
    return std::make_unique<SpreadPart>(parameters, place, start);
  }

 private:
  static StageInfo make_info() {
    std::vector<Parameter> parameters = common_parameters(131072);
    // A broadcast takes microseconds, a piece 500, and at the end the others are a piece behind.
    parameters.push_back(
        {"piece", 1024, 1, 1 << 20, "values that rank 0 tells the others at once"});
    return ranks::ranked_info(
        stage_info({.name = RATCHET_STAGE,
                    .summary = "07_simd on several processes: one finds values, the others verify",
                    .source = "ratchet",
                    .parameters = std::move(parameters)}));
  }
};

const Registration registered{std::make_unique<SpreadStage>()};

}  // namespace
}  // namespace ratchet::officers
