// How each rank's GPU is watched while a row of several ranks is measured.
#pragma once

#include <memory>

#include "kernels/support/ranks/observer.h"

namespace ratchet::timing {

/// On one rank: the spans of kernels and transfers by CUPTI from the common barrier on, NCCL's
/// among them, and the SM clock. Objects to a GPU that other processes use. Where CUPTI cannot be
/// had, said once on stderr, runs are seen to leave nothing. Costs nothing before the first run on
/// a GPU. In a build without CUDA: nullptr.
std::unique_ptr<ranks::RunObserver> make_ranks_observer();

}  // namespace ratchet::timing
