#include "kernels/contract/parameters.h"

#include <charconv>
#include <stdexcept>

#include "perf/support/error.h"

namespace ratchet {
namespace {

/// Digits only, without sign or blank; false also on overflow.
bool parse_digits(std::string_view text, std::uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return !text.empty() && status == std::errc() && stop == end && text.front() != '-';
}

bool multiply(std::uint64_t& value, std::uint64_t factor) {
  return !__builtin_mul_overflow(value, factor, &value);
}

bool parse_scaled(std::string_view text, std::uint64_t& value) {
  if (const auto caret = text.find('^'); caret != text.npos) {
    std::uint64_t exponent = 0;
    if (text.substr(0, caret) != "2" || !parse_digits(text.substr(caret + 1), exponent))
      return false;
    if (exponent > 63) return false;
    value = std::uint64_t{1} << exponent;
    return true;
  }
  const auto e = text.find_first_of("eE");
  if (!parse_digits(text.substr(0, e), value)) return false;
  if (e == text.npos) return true;
  std::uint64_t exponent = 0;
  if (!parse_digits(text.substr(e + 1), exponent) || exponent > 19) return false;
  for (; exponent > 0; --exponent)
    if (!multiply(value, 10)) return false;
  return true;
}

}  // namespace

std::uint64_t parse_unsigned(std::string_view text, std::string_view what) {
  std::uint64_t value = 0;
  if (!parse_scaled(text, value))
    throw Error(std::string(what) + ": '" + std::string(text) +
                "' is not an unsigned integer below 2^64 (write 1000000, 1e6 or 2^20)");
  return value;
}

std::vector<ParameterPoint> grid(
    const std::vector<std::pair<std::string, std::vector<std::uint64_t>>>& axes) {
  std::vector<ParameterPoint> points{{}};
  for (const auto& [name, values] : axes) {
    std::vector<ParameterPoint> longer;
    for (const ParameterPoint& point : points)
      for (const std::uint64_t value : values) longer.push_back(joined(point, {{name, value}}));
    points = std::move(longer);
  }
  return points;
}

Parameters::Parameters(std::string owner, std::vector<Parameter> declared)
    : owner_(std::move(owner)), declared_(std::move(declared)) {}

const Parameter* Parameters::find(std::string_view name) const {
  for (const Parameter& parameter : declared_)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

bool Parameters::has(std::string_view name) const { return find(name) != nullptr; }

std::uint64_t Parameters::at(std::string_view name) const {
  const Parameter* parameter = find(name);
  if (!parameter) throw std::logic_error(owner_ + " declares no parameter " + std::string(name));
  return parameter->value;
}

Parameters& Parameters::set(std::string_view name, std::uint64_t value) {
  Parameter* parameter = const_cast<Parameter*>(find(name));
  if (!parameter) {
    std::string known;
    for (const Parameter& each : declared_) known += (known.empty() ? "" : ", ") + each.name;
    throw Error(owner_ + " has no parameter '" + std::string(name) + "'; it has " + known);
  }
  if (value < parameter->min || value > parameter->max)
    throw Error(owner_ + ": " + parameter->name + " = " + std::to_string(value) +
                " is out of range, give " + std::to_string(parameter->min) + " to " +
                std::to_string(parameter->max));
  parameter->value = value;
  return *this;
}

Parameters& Parameters::set(std::string_view name, std::string_view text) {
  return set(name, parse_unsigned(text, owner_ + ": " + std::string(name)));
}

Parameters& Parameters::set(const ParameterPoint& point) {
  for (const auto& [name, value] : point) set(name, value);
  return *this;
}

}  // namespace ratchet
