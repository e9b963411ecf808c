#include "correctness/graveler/checks/ring15/schedule.h"

#include <fmt/ranges.h>

#include <sstream>

#include "perf/support/error.h"
#include "kernels/contract/parameters.h"

namespace ratchet::graveler {
namespace {

using List = std::array<std::uint8_t, Ring15::kRound>;

List parse_list(const std::string& text, const std::string& name, unsigned below) {
  List list{};
  std::size_t size = 0;
  std::istringstream entries(text);
  for (std::string entry; std::getline(entries, entry, ','); ++size) {
    const std::uint64_t value = parse_unsigned(entry, name);
    if (value >= below)
      throw Error(fmt::format("{}: entry {} is {}, give 0 to {}", name, size, value, below - 1));
    if (size < list.size()) list[size] = static_cast<std::uint8_t>(value);
  }
  if (size != list.size())
    throw Error(fmt::format("{}: {} entries, a round has {}", name, size, list.size()));
  return list;
}

}  // namespace

RingSchedule shipped_schedule() {
  RingSchedule schedule;
  for (unsigned n = 0; n < Ring15::kRound; ++n) {
    schedule.tap[n] = static_cast<std::uint8_t>(Ring15::tap(n));
    schedule.rotation[n] = static_cast<std::uint8_t>(Ring15::rotation(n));
  }
  return schedule;
}

RingSchedule sampled_schedule() {
  return {{9,  13, 8, 13, 12, 0, 3, 4,  14, 8,  1,  5, 13, 5,  7, 14, 0, 1,  14, 11, 9, 5, 4,
           13, 7,  1, 13, 4,  9, 1, 10, 11, 12, 14, 5, 14, 11, 9, 4,  1, 12, 2,  2,  7, 10},
          {17, 0, 10, 0, 0,  0,  27, 0, 0, 1,  13, 25, 6, 18, 30, 0, 23, 4, 0, 28, 0, 21, 0,
           14, 0, 7,  0, 31, 12, 0,  0, 0, 29, 10, 22, 3, 0,  27, 8, 0,  0, 0, 25, 0, 18}};
}

std::string text_of(const RingSchedule& schedule) {
  return fmt::format("taps      {}\nrotations {}", fmt::join(schedule.tap, ","),
                     fmt::join(schedule.rotation, ","));
}

RingSchedule chosen_schedule(const std::string& taps, const std::string& rotations) {
  if (taps.empty() && rotations.empty()) return shipped_schedule();
  const RingSchedule schedule{parse_list(taps, "--taps", kRingWords),
                              parse_list(rotations, "--rotations", 32)};
  for (unsigned n = 0; n < Ring15::kRound; ++n)
    if (schedule.tap[n] == n % kRingWords)
      throw Error(fmt::format("--taps: step {} adds the word that it replaces", n));
  return schedule;
}

}  // namespace ratchet::graveler
