// What the CPU stages of Life share: see cpu_stage.h.
#include "kernels/life/packed/cpu_stage.h"

#include "perf/support/error.h"

namespace ratchet::life {
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
