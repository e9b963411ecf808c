// Running other programs: limits, ends, output; and the filters that select one of their rows.
#include "perf/support/process.h"

#include <gtest/gtest.h>

#include "kernels/support/error.h"
#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {
namespace {

TEST(Processes, LimitsEndAndOutputAreReported) {
  const ProcessResult slow = run_process({"sh", "-c", "sleep 30 & sleep 30"}, 0.2);
  EXPECT_TRUE(slow.timed_out);
  EXPECT_LT(slow.seconds, 10);
  EXPECT_EQ(run_process({"sh", "-c", "kill -SEGV $$"}, 10).signal, 11);
  const ProcessResult told =
      run_process({"sh", "-c", "echo out; echo first >&2; echo last >&2; exit 4"}, 10);
  EXPECT_EQ(told.output, "out\n");
  EXPECT_EQ(told.describe(), "exit code 4: last");
  // A child left behind that holds the pipe does not hold the gate.
  EXPECT_LT(run_process({"sh", "-c", "sleep 30 & echo done"}, 20).seconds, 10);
  EXPECT_THROW(run_process({"/nowhere/program"}, 10), Error);
  EXPECT_EQ(run_process({"sh", "-c", "yes | head -c 9000000; true"}, 20).output.size(), 4u << 20);
}

TEST(Filters, NamesAreMatchedExactly) {
  EXPECT_EQ(exact_filter("f/cpu/01_a/threads:4"), "^f/cpu/01_a/threads:4$");
  EXPECT_EQ(exact_filter("a.b+c"), "^a\\.b\\+c$");
}

TEST(Processes, VariablesAreTheChildsAlone) {
  EXPECT_EQ(run_process({"sh", "-c", "echo $RATCHET_TRIED"}, 5, {{"RATCHET_TRIED", "7"}}).output,
            "7\n");
  EXPECT_EQ(getenv("RATCHET_TRIED"), nullptr);
}

}  // namespace
}  // namespace ratchet::gate
