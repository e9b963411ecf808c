// Observes each rank's GPU during a row of several ranks.
#pragma once

#include <memory>

#include "kernels/support/ranks/observer.h"

namespace ratchet::timing {

/// On one rank: the span of kernels and transfers, including NCCL's, by CUPTI from the common
/// barrier on, and the SM clock. Objects to a GPU that other processes use. Without CUPTI, prints a
/// message once and observes nothing. Costs nothing before the first run on a GPU. Without CUDA:
/// nullptr.
std::unique_ptr<ranks::RunObserver> make_ranks_observer();

}  // namespace ratchet::timing
