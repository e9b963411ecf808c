// What the CPU stages of Life share: see cpu_support.h.
#include "kernels/life/packed/cpu_stage.h"

#include <thread>

#include "kernels/support/error.h"

namespace ratchet::life {
namespace {

constexpr std::uint64_t kBenchmarkSide = 4096;

Parameter threads_parameter() {
  const std::uint64_t processors = std::clamp(std::thread::hardware_concurrency(), 1u, 1024u);
  return {"threads", processors, 1, 1024, "threads that work at once"};
}

}  // namespace

StageInfo cpu_stage_info(std::string name, std::string summary, std::string section, Limit limit,
                         std::uint64_t steps) {
  return life_stage_info(std::move(name), Backend::cpu, std::move(summary), std::move(section),
                         std::move(limit), common_parameters(kBenchmarkSide, steps));
}

StageInfo threaded_stage_info(std::string name, std::string summary, std::string section,
                              Limit limit, std::uint64_t steps) {
  StageInfo info = cpu_stage_info(std::move(name), std::move(summary), std::move(section),
                                  std::move(limit), steps);
  info.parameters.push_back(threads_parameter());
  for (const std::uint64_t threads : {1, 2, 4, 8}) info.survey.push_back({{"threads", threads}});
  return info;
}

template <class Word>
hwy::AlignedFreeUniquePtr<Word[]> aligned_zeros(std::uint64_t count) {
  // A calloc would leave the page faults to the first timed run.
  auto words = hwy::AllocateAligned<Word>(count);
  if (!words)
    throw Error(
        "a universe on the CPU needs " + std::to_string((count * sizeof(Word)) >> 20) +
        " MiB more of memory, which this machine refused; choose a smaller width or height");
  std::fill_n(words.get(), count, Word{0});
  return words;
}

template hwy::AlignedFreeUniquePtr<std::uint8_t[]> aligned_zeros(std::uint64_t);
template hwy::AlignedFreeUniquePtr<std::uint64_t[]> aligned_zeros(std::uint64_t);

}  // namespace ratchet::life
