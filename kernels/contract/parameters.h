// Parameters of a stage: named unsigned integers with a range and a default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ratchet {

/// One parameter as a stage declares it. `min` and `max` are inclusive.
struct Parameter {
  std::string name;
  std::uint64_t value = 0;  ///< the default, used by the benchmark
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  std::string help;  ///< meaning and unit, one line
};

/// Overrides of some parameters: a configuration of a sweep.
using ParameterPoint = std::vector<std::pair<std::string, std::uint64_t>>;

/// Every combination of one value of each parameter: {{"a", {1, 2}}, {"b", {3, 4}}} gives four.
std::vector<ParameterPoint> grid(
    const std::vector<std::pair<std::string, std::vector<std::uint64_t>>>& axes);

/// `first`, then `second`.
template <class T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The declared parameters of one stage with their current values.
class Parameters {
 public:
  /// `owner` (the stage's name) is used in error messages only.
  Parameters(std::string owner, std::vector<Parameter> declared);

  /// The value of `name`. Throws std::logic_error if the stage does not declare it, which is a bug,
  /// not bad input.
  std::uint64_t at(std::string_view name) const;
  bool has(std::string_view name) const;
  /// Throws `Error` naming stage, parameter, value and the allowed range or the known names.
  Parameters& set(std::string_view name, std::uint64_t value);
  /// The same from a text such as "1000000", "1e9" or "2^20"; refuses signs, fractions and
  /// overflow.
  Parameters& set(std::string_view name, std::string_view text);
  Parameters& set(const ParameterPoint& point);

  const std::vector<Parameter>& all() const { return declared_; }

 private:
  const Parameter* find(std::string_view name) const;
  std::string owner_;
  std::vector<Parameter> declared_;
};

/// Parses an unsigned integer written as digits ("1000"), with a decimal exponent ("1e9") or as a
/// power of two ("2^20"). Throws `Error` naming `what` for anything else or for values beyond
/// 2^64-1.
std::uint64_t parse_unsigned(std::string_view text, std::string_view what);

}  // namespace ratchet
