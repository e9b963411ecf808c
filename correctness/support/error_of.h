// What a call is refused with.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "perf/support/error.h"

namespace ratchet {

/// The message of the Error that `act` throws, which must be of bad input, or "no error".
template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::failed);
    return error.what();
  }
  return "no error";
}

}  // namespace ratchet
