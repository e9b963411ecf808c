// A Google Benchmark program seen from outside, which states its times and measures none.
#pragma once

#include <string>

namespace ratchet {

/// C++ that a compiler makes a program of, so that it has a digest and a place in memory. A call of
/// its row `work` takes TIME_US, and a tenth more where its function lies at RATCHET_FAKE_SLOW_AT,
/// in units of 16 bytes of a page. SKIP bytes lie before the function.
inline const std::string timeless_program = R"(
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define TEXT(x) #x
#define SKIPPED(x) TEXT(x)
__asm__(".text\n.skip " SKIPPED(SKIP));
__attribute__((noinline)) void work() { __asm__ volatile(""); }
int main(int count, char** words) {
  const char* slow_at = std::getenv("RATCHET_FAKE_SLOW_AT");
  const int at = reinterpret_cast<std::uintptr_t>(work) / 16 % 256;
  const double time = TIME_US * (slow_at && std::atoi(slow_at) == at ? 1.1 : 1);
  for (int i = 1; i < count; ++i) {
    if (!std::strncmp(words[i], "--ratchet", 9)) return 1;
    if (std::strstr(words[i], "list_tests")) return std::puts("work") < 0;
    if (std::strncmp(words[i], "--benchmark_out=", 16)) continue;
    std::FILE* out = std::fopen(words[i] + 16, "w");
    std::fprintf(out, "{\"context\": {}, \"benchmarks\": [{\"name\": \"work\", \"iterations\": 1000, "
                      "\"repetition_index\": 0, \"real_time\": %g, \"cpu_time\": %g, \"time_unit\": \"us\", "
                      "\"at\": %d, \"path\": %zu}]}", time, time, at, std::strlen(words[0]));
    std::fclose(out);
  }
}
)";

}  // namespace ratchet
