// xorwow_variance [BATTLES]: the variance of ones in battles of 16 words by XORWOW, over the law's.
//
// On a CPU, with the words as published and states that curand_init makes of unrelated seeds: what
// it shows is the generator's, not a stage's. 10^10 battles take some minutes on two CPUs.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "kernels/graveler/graveler.h"
#include "kernels/support/rng/xorwow.h"

namespace {

constexpr std::uint64_t kInARow = 2000;  ///< battles of one seed
constexpr std::uint32_t kLastSeven = 0xfe000000;

std::uint32_t ones_of_a_battle(ratchet::Xorwow& words) {
  std::uint32_t ones = 0;
  for (int outcome = 0; outcome < 8; ++outcome) {
    const std::uint32_t first = words.next32(), both = first & words.next32();
    ones += static_cast<std::uint32_t>(std::popcount(outcome < 7 ? both : both & kLastSeven));
  }
  return ones;
}

/// The sum of (4 ones - 231)^2, 16 times that of squared deviations, over the seeds first, first +
/// step, ...
std::uint64_t squares(std::uint64_t first, std::uint64_t step, std::uint64_t seeds) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = first; i < seeds; i += step) {
    ratchet::Xorwow words((i + 1) * 0xd1342543de82ef95u);
    for (int skipped = 0; skipped < 16; ++skipped) words.next32();
    for (std::uint64_t battle = 0; battle < kInARow; ++battle) {
      const std::int64_t apart =
          4 * std::int64_t{ones_of_a_battle(words)} - ratchet::graveler::kTurns;
      sum += static_cast<std::uint64_t>(apart * apart);
    }
  }
  return sum;
}

}  // namespace

int main(int count, char** arguments) {
  std::uint64_t battles = 1'000'000'000;
  if (count > 2 ||
      (count == 2 &&
       std::from_chars(arguments[1], arguments[1] + std::strlen(arguments[1]), battles).ptr !=
           arguments[1] + std::strlen(arguments[1]))) {
    std::fprintf(stderr, "usage: xorwow_variance [BATTLES]\n");
    return 2;
  }
  const std::uint64_t seeds = std::max<std::uint64_t>(1, battles / kInARow);
  const std::uint64_t workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::future<std::uint64_t>> sums;
  for (std::uint64_t worker = 0; worker < workers; ++worker)
    sums.push_back(std::async(std::launch::async, squares, worker, workers, seeds));
  double sum = 0;
  for (auto& part : sums) sum += static_cast<double>(part.get());
  const double n = static_cast<double>(seeds * kInARow);
  const double law = ratchet::graveler::kTurns * 3.0 / 16;
  fmt::print("{:.3g} battles: variance of ones {:.7f} times the law's, standard deviation {:.1e}\n",
             n, sum / 16 / n / law, std::sqrt(2 / n));
}
