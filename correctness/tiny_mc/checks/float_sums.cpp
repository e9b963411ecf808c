#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "correctness/tiny_mc/checks/checks.h"
#include "reference/tiny_mc.h"

namespace ratchet::tiny_mc {
namespace {

constexpr unsigned kArrays = 8;  // of a block, as kReduceSize of the stages

/// What a block of threads hands over of one shell, by its threads' sums.
float block_sum(const std::vector<float>& threads) {
  std::array<float, kArrays> arrays{};
  const std::size_t width = std::min<std::size_t>(32, threads.size());
  for (std::size_t warp = 0; warp * 32 < threads.size(); ++warp) {
    std::vector<float> lanes(threads.begin() + static_cast<std::ptrdiff_t>(warp * 32),
                             threads.begin() + static_cast<std::ptrdiff_t>(warp * 32 + width));
    for (std::size_t half = width / 2; half > 0; half /= 2)
      for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    arrays[warp % kArrays] += lanes[0];
  }
  for (unsigned half = kArrays / 2; half > 0; half /= 2)
    for (unsigned array = 0; array < half; ++array) arrays[array] += arrays[array + half];
  return arrays[0];
}

/// A photon's weight in float, as the kernel keeps it: which deposits are alike decides how their
/// sums round.
class FloatWeight {
 public:
  explicit FloatWeight(const Medium& medium)
      : albedo_(static_cast<float>(medium.albedo())),
        survival_(static_cast<float>(medium.roulette_survival)) {}
  /// The next deposit; `exact` is that of the definition, which grows where roulette was survived.
  float deposit(double exact) {
    if (last_ > 0) weight_ *= albedo_;
    if (last_ > 0 && exact > last_) weight_ /= survival_;
    last_ = exact;
    return (1.0f - albedo_) * weight_;
  }

 private:
  float albedo_, survival_, weight_ = 1;
  double last_ = 0;
};

}  // namespace

FloatSums emulated_float_sums(const Medium& medium, const SumShape& shape, std::uint64_t photons,
                              std::uint64_t seed) {
  const reference::tiny_mc::Medium of_definition{.absorption_per_cm = medium.absorption_per_cm,
                                                 .scattering_per_cm = medium.scattering_per_cm,
                                                 .shells = medium.shells,
                                                 .microns_per_shell = medium.microns_per_shell};
  const auto uniform = reference::tiny_mc::uniforms(seed);
  FloatSums sums{std::vector<double>(medium.shells), std::vector<double>(medium.shells)};
  for (std::uint64_t done = 0; done < photons;
       done += shape.block_threads * shape.photons_per_thread) {
    std::vector<std::vector<float>> block(medium.shells, std::vector<float>(shape.block_threads));
    for (std::uint64_t thread = 0; thread < shape.block_threads; ++thread)
      for (std::uint64_t photon = 0; photon < shape.photons_per_thread; ++photon) {
        FloatWeight weight(medium);
        reference::tiny_mc::follow_photon(of_definition, uniform,
                                          [&](unsigned shell, double exact_deposit) {
                                            const float deposit = weight.deposit(exact_deposit);
                                            block[shell][thread] += deposit;
                                            sums.exact[shell] += deposit;
                                          });
      }
    for (std::uint32_t shell = 0; shell < medium.shells; ++shell)
      sums.floats[shell] += block_sum(block[shell]);
  }
  return sums;
}

TestResults check_float_sums(const PhotonStage& floats, const PhotonStage& doubles,
                             const Medium& medium, std::uint64_t photons, const SumShape& shape) {
  const auto shaped = [&](const PhotonStage& stage) {
    return parameters_for(stage, medium, photons, 91)
        .set("block_threads", shape.block_threads)
        .set("photons_per_thread", shape.photons_per_thread);
  };
  const Tally a = run_once(floats, shaped(floats));
  const Tally b = run_once(doubles, shaped(doubles));
  const Binned& law = heat_law(medium).heat;
  const double worst = worst_loss(a.heat, b.heat, law);
  const FloatSums played = emulated_float_sums(medium, shape, std::uint64_t{1} << 16, 91);
  const double expected = worst_loss(played.floats, played.exact, law);
  return {correctness::exact(
      fmt::format("float sums of {} photons, {} shells, blocks of {} x {}", photons, medium.shells,
                  shape.block_threads, shape.photons_per_thread),
      a.photons == b.photons && worst > expected / 1.5 && worst < expected * 1.5,
      fmt::format("off by {:.2g} at most, by {:.2g} where the arithmetic is played", worst,
                  expected))};
}

double worst_loss(const std::vector<double>& floats, const std::vector<double>& exact,
                  const Binned& law) {
  double worst = 0;
  for (std::size_t bin = 0; bin < law.expected.size(); ++bin) {
    double heat = 0, off = 0;
    for (std::uint32_t shell = law.first[bin]; shell < law.first[bin + 1]; ++shell) {
      heat += exact[shell];
      off += std::fabs(floats[shell] - exact[shell]);
    }
    worst = std::max(worst, off / heat);
  }
  return worst;
}

double float_sums_bound(const Parameters& parameters, double deposits) {
  const double photons =
      static_cast<double>(std::min(parameters.at("photons_per_thread"), parameters.at("photons")));
  const double warps = std::max(1.0, static_cast<double>(parameters.at("block_threads")) / 32);
  const double block = 5 + std::ceil(warps / kArrays) + 3;
  return 0x1p-24 * (4 * std::sqrt(deposits * photons) + block);
}

}  // namespace ratchet::tiny_mc
