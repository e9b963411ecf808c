// How long something has taken, for checks that have a budget.
#pragma once

#include <chrono>

namespace ratchet::correctness {

/// Runs from its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace ratchet::correctness
