#include "correctness/support/binomial_law.h"

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "perf/support/error.h"

namespace ratchet::correctness {

BinomialLaw::BinomialLaw(unsigned trials, double p)
    : trials_(trials), p_(p), pmf_(trials + 1), tail_(trials + 1) {
  const boost::math::binomial_distribution<long double> law(trials, p);
  long double tail = 0;
  // Summed from the far end, so that every tail is a sum of smaller terms: no cancellation.
  for (unsigned k = trials + 1; k-- > 0;) {
    const long double mass = boost::math::pdf(law, k);
    tail += mass;
    pmf_[k] = static_cast<double>(mass);
    tail_[k] = static_cast<double>(tail);
  }
}

double BinomialLaw::fourth_moment() const {
  const double v = variance();
  return v * (1 + 3 * (trials_ - 2.0) * p_ * (1 - p_));
}

double BinomialLaw::maximum_cdf(unsigned k, std::uint64_t battles) const {
  return std::exp(static_cast<double>(battles) * std::log1p(-tail(k + 1)));
}

std::vector<double> BinomialLaw::maximum_pmf(std::uint64_t battles) const {
  std::vector<double> pmf(trials_ + 1);
  double below = 0;
  for (unsigned k = 0; k <= trials_; ++k) {
    const double up_to = maximum_cdf(k, battles);
    pmf[k] = up_to - below;
    below = up_to;
  }
  return pmf;
}

std::vector<OrderStatistic> read_order_statistics(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(path + ": cannot be read");
  std::vector<OrderStatistic> rows;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#' || line[0] == 'k') continue;
    OrderStatistic row;
    // Read as text: the smallest entries underflow a double, and streams call that a failure.
    std::string pmf, tail, cdf, maximum;
    std::istringstream fields(line);
    if (!(fields >> row.ones >> pmf >> tail >> cdf >> maximum) || row.ones != rows.size())
      throw Error(path + ":" + std::to_string(number) + ": expected k and four numbers, in order");
    row.pmf = std::strtod(pmf.c_str(), nullptr);
    row.tail = std::strtod(tail.c_str(), nullptr);
    row.maximum_cdf = std::strtod(cdf.c_str(), nullptr);
    row.maximum_pmf = std::strtod(maximum.c_str(), nullptr);
    rows.push_back(row);
  }
  if (rows.size() != 232)
    throw Error(path + ": expected 232 rows, found " + std::to_string(rows.size()));
  return rows;
}

}  // namespace ratchet::correctness
