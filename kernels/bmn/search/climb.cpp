#include "kernels/bmn/search/climb.h"

#include <limits>

namespace ratchet::bmn::search {

std::vector<Parameter> climb_parameters(std::uint64_t climbers, std::uint64_t rounds) {
  return {
      {"climbers", climbers, 1, 1 << 22, "deals that are improved at once"},
      {"candidates", 8, 1, 64, "deals played for a climber in a round"},
      {"rounds", rounds, 1, 1 << 20, "rounds of a run"},
      {"patience", 100, 1, 1 << 20, "rounds without a longer game before a climber starts again"},
      {"seed", 1, 0, std::numeric_limits<std::uint64_t>::max(), "seed of shuffles and swaps"},
      {"cap", kDefaultCap, 0, kMaxCap, "turns after which a game that is not over is given up"}};
}

ClimbPlan plan_of(const Parameters& parameters) {
  return {parameters.at("seed"), static_cast<std::uint32_t>(parameters.at("climbers")),
          static_cast<std::uint32_t>(parameters.at("candidates")),
          static_cast<std::uint32_t>(parameters.at("patience")),
          static_cast<std::uint32_t>(parameters.at("cap"))};
}

StageInfo climb_info(StageInfo info) {
  info = stage_info(std::move(info));
  info.size = "rounds";
  info.sanitizer_run = {{"climbers", 64}, {"rounds", 5}};
  return info;
}

}  // namespace ratchet::bmn::search
