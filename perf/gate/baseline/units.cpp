#include "perf/gate/baseline/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "kernels/contract/stage.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/third_party_json.h"

namespace ratchet {
namespace {

struct Prefix {
  double factor = 1;
  std::string_view letter = "";
};
constexpr std::array rate_prefixes = {Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},
                                      Prefix{1e6, "M"},  Prefix{1e3, "k"},  Prefix{}};
constexpr std::array time_prefixes = {Prefix{}, Prefix{1e-3, "m"}, Prefix{1e-6, "u"},
                                      Prefix{1e-9, "n"}, Prefix{1e-12, "p"}};

/// The largest prefix with which the rounded value is at least 1.
template <std::size_t size>
Prefix prefix_for(double value, const std::array<Prefix, size>& prefixes) {
  constexpr double rounds_up = 0.9995;
  const auto fits = [&](const Prefix& prefix) { return value >= rounds_up * prefix.factor; };
  const auto found = std::find_if(prefixes.begin(), prefixes.end(), fits);
  return found == prefixes.end() ? prefixes.back() : *found;
}

/// Three significant digits.
std::string digits(double value) {
  if (!(value < 99950) || value == 0) return fmt::format("{:.3g}", value);
  const int whole = value >= 1 ? static_cast<int>(std::floor(std::log10(value * 1.0005))) + 1 : 1;
  const int small = value < 1 ? static_cast<int>(std::floor(-std::log10(value * 1.0005))) : 0;
  if (small > 3) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, std::max(0, 3 - whole) + small + (value < 1 ? 1 : 0));
}

std::string figure_text(double throughput, const FigureKind& kind) {
  const double value = kind.throughput(throughput);
  return value < 99950 ? digits(value) : fmt::format("{:.0f}", value);
}

std::string with_unit(const std::string& figure, const FigureKind& kind) {
  return figure + (kind.unit.empty() ? "" : " ") + kind.unit;
}

std::string rate_unit(const Prefix& prefix, const std::string& unit) {
  if (unit == "B") return fmt::format(" {}B/s", prefix.letter);
  return fmt::format("{}{} {}/s", prefix.letter.empty() ? "" : " ", prefix.letter, unit);
}

}  // namespace

std::string unit_of(const RowId& row, const std::string& basis) {
  if (figure_kind(basis)) return basis;
  if (basis.empty()) {
    const Stage* stage = find_stage(row.stage());
    return stage ? stage->info().unit : "units";
  }
  switch (basis_of(basis)) {
    case ThroughputBasis::units:
      return "units";
    case ThroughputBasis::items:
      return "items";
    case ThroughputBasis::bytes:
      return "B";
    default:
      return "calls";
  }
}

std::string per_second_text(const std::string& unit) {
  const auto kind = figure_kind(unit);
  if (!kind) return unit + "/s";
  const std::string counted = kind->unit.empty() ? "value" : kind->unit;
  return kind->better == Better::larger ? counted : "1/" + counted;
}

std::string change_text(double ratio, int digits) {
  constexpr double from_zero = 1e80;
  double percent = (ratio - 1) * 100;
  if (std::fabs(percent) < 0.5 * std::pow(10, -digits)) percent = 0;  // not "-0.00 %"
  if (ratio > from_zero) return "+inf %";
  return std::fabs(percent) < 1e5 ? fmt::format("{:+.{}f} %", percent, digits)
                                  : fmt::format("{:+.1e} %", percent);
}

std::string rate_text(double per_second, const std::string& unit) {
  if (const auto kind = figure_kind(unit)) return with_unit(figure_text(per_second, *kind), *kind);
  const Prefix prefix = prefix_for(per_second, rate_prefixes);
  return digits(per_second / prefix.factor) + rate_unit(prefix, unit);
}

std::string rates_text(double before, double now, const std::string& unit) {
  if (const auto kind = figure_kind(unit))
    return figure_text(before, *kind) + " -> " + with_unit(figure_text(now, *kind), *kind);
  const Prefix prefix = prefix_for(std::max(before, now), rate_prefixes);
  return fmt::format("{} -> {}{}", digits(before / prefix.factor), digits(now / prefix.factor),
                     rate_unit(prefix, unit));
}

std::string time_text(double seconds) {
  const Prefix prefix = prefix_for(seconds, time_prefixes);
  return fmt::format("{} {}s", digits(seconds / prefix.factor), prefix.letter);
}

std::string times_text(double before, double now) {
  const Prefix prefix = prefix_for(std::max(before, now), time_prefixes);
  return fmt::format("{} -> {} {}s", digits(before / prefix.factor), digits(now / prefix.factor),
                     prefix.letter);
}

}  // namespace ratchet
