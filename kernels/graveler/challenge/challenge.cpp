// graveler/challenge: the article's challenge and its answer, as its program prints them; then the
// same battles by their number of ones, against the binomial law.
//
//   ratchet run graveler challenge [battles=1e9] [seed=1] [stage=cpu/13_aes_weyl_threads]
#include <fmt/format.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <chrono>
#include <ostream>

#include "kernels/contract/program.h"
#include "kernels/graveler/graveler.h"

namespace ratchet::graveler {
namespace {

/// Numbers of ones that are counted together: so many that five battles or more are expected.
struct Bin {
  unsigned first = 0, last = 0;
  std::uint64_t battles = 0;
  double expected = 0;
};

std::vector<Bin> binned(const Histogram& histogram, std::uint64_t battles) {
  const boost::math::binomial law(kTurns, 0.25);
  std::vector<Bin> bins;
  double left = static_cast<double>(battles);  // expected beyond the bins so far
  for (unsigned ones = 0; ones <= kTurns; ++ones) {
    const bool open = !bins.empty() && (bins.back().expected < 5 || left < 5);
    if (!open) bins.push_back({.first = ones});
    const double expected = static_cast<double>(battles) * pdf(law, ones);
    bins.back().last = ones;
    bins.back().battles += histogram[ones];
    bins.back().expected += expected;
    left = static_cast<double>(battles) * cdf(complement(law, ones));
  }
  return bins;
}

class Challenge final : public ShortProgram {
 public:
  Challenge()
      : ShortProgram({.name = "graveler/challenge",
                      .summary = "The most ones in a billion battles, and all against their law",
                      .parameters = {{"battles", kBillion, 1, 1'000'000'000'000, "to be played"},
                                     {"seed", 1, 0, ~std::uint64_t{0}, "of the random words"}},
                      .texts = {{"stage", "the engine; usually the fastest here"}}}) {}

  void answer(const Request& request) const override {
    const auto& stage = dynamic_cast<const GravelerStage&>(engine_of(
        request, {"graveler/cuda/07_more_multiplications", "graveler/cpu/13_aes_weyl_threads"}));
    Parameters own = stage.defaults();
    const std::uint64_t battles = request.parameters.at("battles");
    own.set({{"battles", battles}, {"seed", request.parameters.at("seed")}});
    const auto simulation = stage.prepare_simulation(own);
    const auto start = std::chrono::steady_clock::now();
    simulation->run();
    simulation->wait();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    // The two lines of the article's program, which omits the unit of its milliseconds.
    request.out << fmt::format("Max: {}\nkernel ran in {:.6g} ms\n{} battles by {}\n",
                               simulation->collect().max_ones, took.count(), battles,
                               stage.info().name)
                << std::flush;
    print(request.out, binned(stage.histogram(own), battles));
  }

 private:
  static void print(std::ostream& out, const std::vector<Bin>& bins) {
    double statistic = 0, most = 1;
    for (const Bin& bin : bins) most = std::max(most, bin.expected);
    out << "\n   ones      battles     expected\n";
    for (const Bin& bin : bins) {
      const double off = static_cast<double>(bin.battles) - bin.expected;
      statistic += off * off / bin.expected;
      const std::string ones = bin.first == bin.last ? fmt::format("{}", bin.first)
                                                     : fmt::format("{}-{}", bin.first, bin.last);
      const double bar = 40 * static_cast<double>(bin.battles) / most;
      out << fmt::format("{:>7} {:12} {:12.1f} {}\n", ones, bin.battles, bin.expected,
                         std::string(static_cast<std::size_t>(std::min(bar, 60.0)), '#'));
    }
    if (bins.size() < 2) return;
    const auto degrees = static_cast<double>(bins.size() - 1);
    const double p = cdf(complement(boost::math::chi_squared(degrees), statistic));
    out << fmt::format(
        "chi-square {:.2f} of {} degrees of freedom: the law gives as much or more "
        "with probability {:.4f}\n",
        statistic, bins.size() - 1, p);
  }
};

const ProgramRegistration registered{std::make_unique<Challenge>()};

}  // namespace
}  // namespace ratchet::graveler
