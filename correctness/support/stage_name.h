// What tests over the whole registry share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/contract/stage.h"

namespace ratchet {

/// The stage's name as the last part of a test's: slashes are not allowed there.
inline std::string stage_name(const testing::TestParamInfo<const Stage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

}  // namespace ratchet
