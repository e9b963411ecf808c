// tiny_mc/heat: where light is absorbed, in the form in which Prahl's tiny_mc.c prints it.
//
//   ratchet run tiny_mc heat [photons=1e6] [seed=1] [stage=cpu/03_simd_openmp]
//
// Heat is that of a source of one watt, per volume of the shell. The third column is his error: of
// the squares of single deposits, though a photon leaves several in a shell (photon_moments() has
// the standard error).
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <ostream>

#include "kernels/contract/program.h"
#include "kernels/tiny_mc/tiny_mc.h"

namespace ratchet::tiny_mc {
namespace {

class HeatTable final : public ShortProgram {
 public:
  HeatTable()
      : ShortProgram({.name = "tiny_mc/heat",
                      .summary = "The heat of every shell, as Prahl's program prints it",
                      .parameters = {{"photons", 1'000'000, 1, kMaxPhotons, "to be followed"},
                                     {"seed", 1, 0, ~std::uint64_t{0}, "of the random words"}},
                      .texts = {{"stage", "the engine; usually the fastest full walk here"}}}) {}

  void answer(const Request& request) const override {
    const auto& stage = dynamic_cast<const PhotonStage&>(engine_of(
        request,
        {"tiny_mc/cuda/10_full_cross64", "tiny_mc/cpu/03_simd_openmp", "tiny_mc/cpu/02_simd"}));
    Parameters own = stage.defaults();
    for (const char* name : {"photons", "seed"}) own.set(name, request.parameters.at(name));
    const auto transport = stage.prepare_transport(own);
    transport->run();
    transport->wait();
    print(request.out, transport->collect(), medium_of(own), stage.info().name);
  }

 private:
  static void print(std::ostream& out, const Tally& tally, const Medium& medium,
                    const std::string& stage) {
    const auto photons = static_cast<double>(tally.photons);
    out << "# Point source in an infinite medium, after Small Monte Carlo by Scott Prahl\n#\n"
        << fmt::format("# Scattering = {:8.3f}/cm\n", medium.scattering_per_cm)
        << fmt::format("# Absorption = {:8.3f}/cm\n", medium.absorption_per_cm)
        << fmt::format("# Photons    = {:8}\n# Stage      = {}\n#\n", tally.photons, stage)
        << "# Radius\tHeat\n# [microns]\t[W/cm^3]\tError\n";
    // Volume of the innermost shell, 4/3 pi d^3, times three, in cm^3.
    const double volume = 4 * std::numbers::pi * std::pow(medium.microns_per_shell / 1e4, 3);
    const std::size_t extra = tally.heat.size() - 1;
    for (std::size_t i = 0; i < extra; ++i) {
      const auto shell = static_cast<double>(i);
      const double all = photons * volume * (shell * shell + shell + 1.0 / 3);
      const double heat = tally.heat[i], spread = tally.heat2[i] - heat * heat / photons;
      out << fmt::format("{:6.0f}\t{:12.5f}\t{:12.5f}\n", shell * medium.microns_per_shell,
                         heat / all, std::sqrt(std::max(spread, 0.0)) / all);
    }
    out << fmt::format("# extra\t{:12.5f}\n", tally.heat[extra] / photons);
  }
};

const ProgramRegistration registered{std::make_unique<HeatTable>()};

}  // namespace
}  // namespace ratchet::tiny_mc
