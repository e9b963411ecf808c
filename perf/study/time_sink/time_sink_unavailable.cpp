// measure_time_sink() of a build without the CUDA toolkit.
#include "perf/support/error.h"
#include "perf/study/time_sink/time_sink.h"

namespace ratchet::timing {
namespace {

[[noreturn]] void refuse(const Stage& stage) {
  throw Error(stage.info().name + ": built without the CUDA toolkit", ExitCode::nothing_ran);
}

}  // namespace

TimeSink measure_time_sink(const Stage& stage, const Parameters&, const std::string&) {
  refuse(stage);
}

void run_time_sink_program(const Stage& stage, const Parameters&, const std::string&) {
  refuse(stage);
}

}  // namespace ratchet::timing
