// A number as people write it in prose: "16 500", "54.8e12", "1.6×10⁹".
#pragma once

#include <optional>
#include <string>

namespace ratchet::report {

/// By how much its rounding may be off follows from its digits. Zeros that end a whole number may
/// have been rounded to, to half a percent.
struct WrittenNumber {
  std::string text;    ///< with signs of ASCII alone: "1.6*10^9"
  std::string digits;  ///< without the power of ten: "1.6", "16 500"
  double value = 0;
  double rounding = 0;  ///< half of the last digit
  double scale = 1;     ///< what the digits are multiplied by: 1e9
};

/// With signs of ASCII alone: "1.6*10^9".
std::string plain_number_signs(const std::string& text);

/// The last number of `text`; what begins with a zero, as stages do ("04"), or stands in a name
/// ("AVX2") is none. Throws `Error` where it has none.
WrittenNumber last_number(const std::string& text);

/// Whether `number` is `value` as it would be rounded to these digits.
bool says(const WrittenNumber& number, double value);

/// The digits that would say `value`, to the same digit, with thousands set apart as these are.
std::string digits_for(const WrittenNumber& number, double value);

/// Where the digits of `number`, the last of `text`, begin in it and how many bytes they take;
/// nothing where `text` has them otherwise.
struct DigitsPlace {
  std::size_t at = 0, length = 0;
};
std::optional<DigitsPlace> digits_in(const std::string& text, const WrittenNumber& number);

}  // namespace ratchet::report
