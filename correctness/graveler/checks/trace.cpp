#include <algorithm>

#include "correctness/graveler/checks/checks.h"

namespace ratchet::graveler {

Parameters parameters_for(const GravelerStage& stage, std::uint64_t battles, std::uint64_t seed,
                          std::uint64_t threads) {
  Parameters parameters = stage.defaults();
  parameters.set("battles", battles).set("seed", seed);
  if (threads > 0 && stage.info().threaded()) parameters.set(stage.info().threads, threads);
  return parameters;
}

Parameters trace_parameters(const GravelerStage& stage, std::uint64_t seed,
                            std::uint32_t max_groups) {
  return parameters_for(stage, 1'000'000, seed, std::min<std::uint32_t>(max_groups, 64));
}

Trace own_trace(const GravelerStage& stage, std::uint64_t seed, const TraceShape& shape) {
  const Parameters parameters = trace_parameters(stage, seed, shape.max_groups);
  // One round first: only the stage knows how many groups it can show.
  const Trace probe = stage.trace(parameters, Stream::own, shape.max_groups, 1);
  const std::uint64_t per_round =
      std::max<std::uint64_t>(1, std::uint64_t{probe.groups} * probe.battles_per_round);
  const std::uint64_t rounds =
      std::max<std::uint64_t>(4, (shape.battles + per_round - 1) / per_round);
  return stage.trace(parameters, Stream::own, shape.max_groups, static_cast<std::uint32_t>(rounds));
}

}  // namespace ratchet::graveler
