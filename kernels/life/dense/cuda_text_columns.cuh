// What the rungs 01 to 03 share: the text's kernel with shared memory, 16 rows a thread. They
// differ in the rule alone.
#pragma once

#include "kernels/life/dense/cuda_shared_memory.cuh"
#include "kernels/life/dense/cuda_stage.cuh"

namespace ratchet::life {

/// All that ColumnStage wants of a stage but its info(): see cuda_stage.cuh.
template <class Rule>
struct TextColumns {
  static constexpr int kLanes = kColumnThreads;
  using Rows = TextRows;
  static constexpr unsigned kDefaultRows = 16;
  template <unsigned kRows>
  static auto kernel() {
    return &shared_memory_pass<Rule, kRows>;
  }
};

}  // namespace ratchet::life
