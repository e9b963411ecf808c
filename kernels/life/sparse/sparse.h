// What a sparse universe tells besides its cells.
#pragma once

#include "kernels/life/life.h"

namespace ratchet::life {

/// A universe of which only the parts that change are computed.
class SparseUniverse : public Universe {
 public:
  /// The share of the universe's tiles that the next pass will compute, 0 to 1; 1 while all of it
  /// is computed. Waits for the last run().
  virtual double active_share() = 0;
};

}  // namespace ratchet::life
