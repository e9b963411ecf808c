// The officers family: Grundy values of a take-and-break game, as many as one can, in order.
//
// Source: mvr, "Officers on the GPU" (https://github.com/mvr/officers). Unit of work: values. A run
// computes the values of the positions [start, start + count) from all those before, which
// prepare() brings, untimed: of 2^20 positions, the benchmark's point, by the fastest CPU stage in
// about a second.
//
// A value is *verified* when every smaller value was seen as a sum of two heaps. The text's kernels
// leave out the sums of two common values, and so take for granted that no further rare value
// exists: such stages are *speculative*. Their summaries say so, and their figures are never
// compared with those of the others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/officers/values/state.h"
#include "kernels/contract/stage.h"

namespace ratchet::officers {

inline constexpr std::uint64_t kDefaultStart = std::uint64_t{1} << 20;
/// All values of a run are kept on the host.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 32;

/// What was done for the values of a run, counted where it is done; 0 where a stage does not count.
struct Work {
  std::uint64_t options = 0;    ///< sums with a rare value
  std::uint64_t verifying = 0;  ///< sums of two common values
  std::uint64_t deepest = 0;    ///< most sums of two common values for one position
  std::uint64_t rounds = 0;     ///< evaluations of a block of values, where a stage speculates
  std::uint64_t blocks = 0;     ///< blocks of values
  std::uint64_t exact = 0;      ///< values that took a stage's slow path
  std::uint64_t speculations = 0;  ///< blocks of values computed from unconfirmed ones, or again
};

struct Result {
  std::uint64_t start = 0;
  std::vector<std::uint16_t> values;  ///< of positions start, start + 1, ...
  Work work;
};

/// `from` with the values of a run that began at from.next.
State state_after(State from, const Result& result);

/// A prepared officers stage.
class Run : public Instance {
 public:
  /// The result of the last run(). Waits for it. Throws Error for what the run met: a value of 512
  /// or more, a kernel that its watchdog ended, sums that need values no longer kept.
  virtual Result collect() = 0;
};

/// What a family's stage adds to the contract.
class OfficersStage : public Stage {
 public:
  OfficersStage(StageInfo info, bool verified) : Stage(std::move(info)), verified_(verified) {}
  /// False for a stage that takes every candidate for the value: *speculative*.
  bool verified() const { return verified_; }

  std::unique_ptr<Instance> prepare(const Parameters& parameters) const final;
  /// `file` is a checkpoint (values/checkpoint.h), which says where to start.
  std::unique_ptr<Instance> prepare_input(const Parameters& parameters,
                                          const std::string& file) const final;
  /// Whether it can go on from `state`; by default from all that keep enough.
  virtual bool takes(const State& state) const {
    (void)state;
    return true;
  }
  /// Goes on from any state that it takes, parameters.at("count") values.
  virtual std::unique_ptr<Run> prepare_run(const Parameters& parameters,
                                           const State& from) const = 0;

 private:
  bool verified_;
};

/// The parameters every officers stage has: start and count.
std::vector<Parameter> common_parameters(std::uint64_t default_count);
/// The same for a stage that does with the last values: it starts anywhere up to 2^32.
std::vector<Parameter> far_parameters(std::uint64_t default_count);

/// StageInfo::source for an idea of the text: the document and the section's heading.
std::string of_text(const std::string& section);

/// `info` with what all officers stages state alike filled in: backend, unit, size. The summary of
/// a stage whose values are not `verified` says so.
StageInfo stage_info(StageInfo info, bool verified = true);

}  // namespace ratchet::officers
