// Tests of one stage on a device: skipped by name where it cannot run.
#pragma once

#include <gtest/gtest.h>

#include "correctness/life/checks/checks.h"

namespace ratchet::life {

/// The fixture of such tests.
class OnDevice : public testing::Test {
 protected:
  void need(const char* name) {
    stage_ = dynamic_cast<const LifeStage*>(find_stage(name));
    if (!stage_) GTEST_SKIP() << name << ": not built here";
    const Availability available = stage_->availability();
    if (!available.ok) GTEST_SKIP() << name << ": " << available.reason;
  }
  Parameters parameters(const Grid& start, std::uint64_t steps) const {
    return parameters_for(*stage_, start.width(), start.height(), steps);
  }
  /// A universe too large for any reference here: against 05, which has it in one piece.
  void expect_as_in_one_piece(const Grid& start, std::uint64_t steps) const {
    const auto* whole = dynamic_cast<const LifeStage*>(find_stage("life/cuda/05_strided"));
    ASSERT_NE(nullptr, whole);
    EXPECT_TRUE(stage_run(*whole, start, steps) == stage_run(*stage_, start, steps))
        << start.width() << " x " << start.height() << ", " << steps << " steps";
  }
  const LifeStage* stage_ = nullptr;
};

}  // namespace ratchet::life
