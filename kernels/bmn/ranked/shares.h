// Deals shared evenly by ranks, whatever each plays its share with; rank 0 merges the records.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/bmn/workers/workers.h"
#include "kernels/support/ranks/part.h"

namespace ratchet::bmn {

/// Plays deals job.first to job.end of job.seed and returns their sums. The deals of games in them
/// need not be set.
using PlayShare = std::function<Result(const HostJob& job)>;

/// A part that plays its share with `play`.
std::unique_ptr<ranks::Part> make_shares_part(const Parameters& parameters,
                                              const ranks::Place& place, PlayShare play);
/// The instance on rank 0, of a stage whose parts are made by make_shares_part().
std::unique_ptr<Table> make_shares_table(const Stage& stage, const Parameters& parameters);

/// As bmn/cpu/04_planes plays them.
Result play_share_on_cpu(const HostJob& job);
/// Plays shares as bmn/cuda/08_lean_links plays a run, on the current device. Throws `Error`.
PlayShare share_player_on_gpu(const Parameters& parameters);

/// The probes of a stage of several ranks are those of the stage whose body its ranks play with.
class SharesStage : public BmnStage, public ranks::RankedStage {
 public:
  using BmnStage::BmnStage;
  std::unique_ptr<Table> prepare_table(const Parameters& parameters) const override {
    return make_shares_table(*this, parameters);
  }
  std::vector<Outcome> games(const Parameters& parameters) const override {
    return played_by().games(theirs(parameters));
  }
  std::vector<Outcome> play(const Parameters& parameters,
                            std::span<const Deal> deals) const override {
    return played_by().play(theirs(parameters), deals);
  }

 protected:
  virtual const BmnStage& played_by() const = 0;

 private:
  Parameters theirs(const Parameters& parameters) const {
    Parameters set = played_by().defaults();
    for (const char* name : {"deals", "seed", "cap"}) set.set(name, parameters.at(name));
    return set;
  }
};

}  // namespace ratchet::bmn
