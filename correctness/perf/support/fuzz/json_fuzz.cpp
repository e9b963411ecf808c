// libFuzzer on everything that reads JSON. ci/fuzz builds and runs it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "correctness/perf/support/fuzz/json_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // What the properties throw is not caught: it ends the run, and libFuzzer keeps the input.
  ratchet::fuzz::check_json_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
