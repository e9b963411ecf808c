#include "kernels/life/streamed/stream_plan.h"

#include <algorithm>

#include "perf/support/error.h"

namespace ratchet::life {

Sweep::Sweep(std::uint64_t height, std::uint64_t band_rows, std::uint64_t generations, Edge edge)
    : height_(static_cast<std::int64_t>(height)),
      band_rows_(static_cast<std::int64_t>(band_rows)),
      generations_(static_cast<std::int64_t>(generations)),
      torus_(edge == Edge::torus),
      bands_((height + (torus_ ? 2 : 1) * generations + band_rows - 1) / band_rows) {}

std::int64_t Sweep::origin(std::uint64_t band, std::uint64_t done) const {
  const std::int64_t top = torus_ ? -generations_ : 0;
  return top + static_cast<std::int64_t>(band) * band_rows_ - static_cast<std::int64_t>(done);
}

RowRange Sweep::rows(std::uint64_t band, std::uint64_t done) const {
  const std::int64_t first = origin(band, done);
  const std::int64_t left = generations_ - static_cast<std::int64_t>(done);
  // On a torus as many rows beyond the ends are known as there are generations to come.
  const RowRange known = torus_ ? RowRange{-left, height_ + left} : RowRange{0, height_};
  return {std::max(first, known.first), std::min(first + band_rows_, known.last)};
}

namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Device rows that are there however high the bands are.
std::uint64_t fixed_rows(const StreamNeeds& needs, const StreamPlan& plan) {
  const std::uint64_t seam = needs.edge == Edge::torus ? plan.sweep_steps : 0;
  return StreamPlan::kBuffers * (plan.buffer_rows() - plan.band_rows) +
         plan.passes * plan.halo_rows + seam + needs.spare_rows;
}

}  // namespace

StreamPlan plan_stream(const StreamNeeds& needs) {
  StreamPlan plan;
  plan.halo_rows = 2 * needs.pass_steps;
  const std::uint64_t rows = needs.device_bytes / needs.row_bytes;
  std::uint64_t most = std::min(needs.steps, needs.sweep_steps);
  if (needs.edge == Edge::torus) most = std::min(most, needs.height);
  for (;; most = ceil_div(most, 2)) {
    // Sweeps of about the same length, of whole passes where it can be.
    const std::uint64_t even = ceil_div(needs.steps, ceil_div(needs.steps, most));
    plan.sweep_steps = std::min(most, ceil_div(even, needs.pass_steps) * needs.pass_steps);
    plan.passes = std::max(passes_of(plan.sweep_steps, needs.pass_steps),
                           passes_of(needs.steps % plan.sweep_steps, needs.pass_steps));
    const std::uint64_t fixed = fixed_rows(needs, plan);
    const std::uint64_t least = plan.halo_rows;  // a band's last rows must not be its halo
    if (rows >= fixed + StreamPlan::kBuffers * least) {
      const std::uint64_t wanted =
          std::max(least, ceil_div(needs.height + plan.sweep_steps, StreamPlan::kBands));
      plan.band_rows = std::min(wanted, (rows - fixed) / StreamPlan::kBuffers);
      plan.device_rows = fixed + StreamPlan::kBuffers * plan.band_rows;
      return plan;
    }
    if (most == 1)
      throw Error(needs.stage + ": bands of " + std::to_string(least) + " rows need " +
                  std::to_string((fixed + StreamPlan::kBuffers * least) * needs.row_bytes) +
                  " bytes of device memory, device_mib allows " +
                  std::to_string(needs.device_bytes) + "; raise device_mib");
  }
}

}  // namespace ratchet::life
