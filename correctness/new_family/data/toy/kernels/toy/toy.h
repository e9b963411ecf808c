// The toy family: how many ones the first N words of SplitMix64 have. Unit of work: words.
//
// The smallest family there is; kernels/README.md shows with it what a family is made of.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/contract/stage.h"

namespace ratchet::toy {

/// A prepared toy stage.
class Count : public Instance {
 public:
  /// Ones in the words of the last run(). Waits for it.
  virtual std::uint64_t collect() = 0;
};

/// What the family's stages add to the contract.
class ToyStage : public Stage {
 public:
  using Stage::Stage;
  std::unique_ptr<Instance> prepare(const Parameters& parameters) const final {
    return prepare_count(parameters);
  }
  virtual std::unique_ptr<Count> prepare_count(const Parameters& parameters) const = 0;
};

}  // namespace ratchet::toy
