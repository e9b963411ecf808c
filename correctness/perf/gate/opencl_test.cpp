// Rows of OpenCL stages in the gate: what is known of the device comes with their launches alone.
#include <gtest/gtest.h>

#include "correctness/support/expect_has.h"
#include "correctness/perf/gate/gate_fixture.h"
#include "perf/gate/baseline/measurements.h"

namespace ratchet {
namespace {

class GateOpencl : public GateFixture {
 protected:
  const std::vector<std::string> rows_ = {"demo/cpu/01_a ok 1e6 1000",
                                          "demo/opencl/01_b ok 2e6 1000"};
};

TEST_F(GateOpencl, TheDeviceIsPartOfTheBaselineOfTheCpuThatItIs) {
  store(rows_);
  const Measurements baseline = read_measurements(stored());  // both rows, in the CPU's folder
  EXPECT_EQ(baseline.rows.size(), 2u);
  EXPECT_EQ(baseline.context.at("opencl.device"), "Fake CL");
  const ProcessResult again = gate();
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_EQ(again.output.find("WAS COMPARED"), std::string::npos) << again.output;
}

TEST_F(GateOpencl, AnotherDeviceIsNotComparedAndTheCpusRowsStillAre) {
  store(rows_);
  setenv("RATCHET_FAKE_OPENCL", "Other CL", 1);
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(result.output, "NOT EVERYTHING WAS COMPARED");
  EXPECT_HAS(result.output, "1 rows");
}

TEST_F(GateOpencl, AcceptingACpuRowAloneKeepsTheDeviceOfTheOthers) {
  store(rows_);
  plan({"demo/cpu/01_a ok 3e6 1000"});
  gate({"--filter", "cpu"});
  const ProcessResult accepted = accept({"demo/cpu/01_a"});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.output;
  const Measurements baseline = read_measurements(stored());
  EXPECT_EQ(baseline.context.at("opencl.device"), "Fake CL");
  EXPECT_EQ(baseline.rows.count("demo/opencl/01_b"), 1u);
}

}  // namespace
}  // namespace ratchet
