#include "perf/study/report/figures/written_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <regex>

#include "perf/support/error.h"

namespace ratchet::report {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

constexpr const char* narrow_spaces[] = {"\u202f", "\u00a0"};

/// Half of the last digit of "16 500" or "1.37".
double rounding_of(const std::string& whole, const std::string& fraction, double value) {
  if (!fraction.empty()) return 0.5 * std::pow(10.0, 1.0 - static_cast<double>(fraction.size()));
  const std::size_t zeros = whole.size() - 1 - whole.find_last_not_of('0');
  if (value <= 0 || zeros == 0) return 0.5;
  return std::min(0.5 * std::pow(10.0, static_cast<double>(zeros)), std::max(0.5, 0.005 * value));
}

bool in_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '^';
}

}  // namespace

std::string plain_number_signs(const std::string& text) {
  static const std::map<std::string, char> raised = {{"⁻", '-'}, {"⁰", '0'}, {"¹", '1'}, {"²", '2'},
                                                     {"³", '3'}, {"⁴", '4'}, {"⁵", '5'}, {"⁶", '6'},
                                                     {"⁷", '7'}, {"⁸", '8'}, {"⁹", '9'}};
  std::string plain;
  bool in_power = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto sign = std::find_if(raised.begin(), raised.end(), [&](const auto& each) {
      return text.compare(at, each.first.size(), each.first) == 0;
    });
    if (sign == raised.end()) {
      in_power = false;
      plain += text[at++];
      continue;
    }
    if (!in_power) plain += '^';
    in_power = true;
    plain += sign->second;
    at += sign->first.size();
  }
  for (const char* space : narrow_spaces) plain = replaced(plain, space, " ");
  for (const char* times : {"×", "·"}) plain = replaced(plain, times, "*");
  return plain;
}

WrittenNumber last_number(const std::string& text) {
  const std::string plain = plain_number_signs(text);
  static const std::regex shape(
      "(?:^|[^A-Za-z0-9_.^])(?!0\\d)(\\d{1,3}(?: \\d{3})+(?!\\d)|\\d+)(\\.\\d+)?"
      "(?:e([-+]?\\d+)| ?\\* ?10\\^(-?\\d+))?(?![A-Za-z0-9_])");
  std::smatch found;
  for (std::sregex_iterator it(plain.begin(), plain.end(), shape), end; it != end; ++it)
    found = *it;
  if (found.empty()) throw Error("there is no number before it");
  const std::string whole = replaced(found[1], " ", ""), fraction = found[2];
  const std::string power = found[3].matched ? found[3].str() : found[4].str();
  const double scale = power.empty() ? 1 : std::pow(10.0, std::stoi(power));
  const double value = std::stod(whole + fraction);
  std::string written = found[0];
  written.erase(0, written.find_first_of("0123456789"));
  return {written, found[1].str() + fraction, value * scale,
          rounding_of(whole, fraction, value) * scale, scale};
}

bool says(const WrittenNumber& number, double value) {
  return std::abs(number.value - value) <= number.rounding + 1e-9 * std::abs(value);
}

std::string digits_for(const WrittenNumber& number, double value) {
  const double last_digit = 2 * number.rounding / number.scale;
  const double step = std::pow(10, std::floor(std::log10(last_digit) + 1e-9));
  const std::size_t point = number.digits.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : number.digits.size() - point - 1;
  std::string digits =
      fmt::format("{:.{}f}", std::round(value / number.scale / step) * step, decimals);
  if (number.digits.find(' ') == std::string::npos) return digits;
  for (std::size_t at = std::min(digits.find('.'), digits.size()); at > 3;)
    digits.insert(at -= 3, " ");
  return digits;
}

std::optional<DigitsPlace> digits_in(const std::string& text, const WrittenNumber& number) {
  std::optional<DigitsPlace> last;
  for (const char* space : {" ", narrow_spaces[0], narrow_spaces[1]}) {
    const std::string digits = replaced(number.digits, " ", space);
    for (std::size_t at = 0; (at = text.find(digits, at)) != std::string::npos; ++at) {
      const std::size_t behind = at + digits.size();
      const bool begins = at == 0 || !in_a_name(text[at - 1]);
      const bool ends = behind == text.size() || text[behind] == 'e' || !in_a_name(text[behind]);
      if (begins && ends && (!last || at > last->at)) last = {at, digits.size()};
    }
  }
  return last;
}

}  // namespace ratchet::report
