#include <gtest/gtest.h>

#include <cstdio>
#include <exception>

#include "kernels/support/error.h"
#include "kernels/support/ranks/job.h"

int main(int argc, char** argv) {
  try {
    const ratchet::ranks::Session session;
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
