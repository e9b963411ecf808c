#include "perf/support/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <regex>

namespace ratchet {
namespace {

using Milliseconds = std::chrono::sys_time<std::chrono::milliseconds>;

std::string text_of(Milliseconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

}  // namespace

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string duration(double seconds) {
  if (seconds >= 0.05 && seconds < 0.95) return fmt::format("{:.1f} s", seconds);
  const int whole = static_cast<int>(std::max(0.0, seconds) + 0.5);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string utc_now() {
  return text_of(std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()));
}

std::optional<std::string> utc_time(const std::string& text) {
  static const std::regex form(
      "([0-9]{4})-([0-9]{2})-([0-9]{2})"
      "(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\\.([0-9]{1,9}))?)?"
      " ?(?:Z|([+-])([0-9]{2}):?([0-9]{2}))?)?");
  std::smatch part;
  if (!std::regex_match(text, part, form)) return std::nullopt;
  const auto number = [&](std::size_t i) { return part[i].matched ? std::stoi(part[i]) : 0; };
  const std::chrono::year_month_day date(std::chrono::year(number(1)),
                                         std::chrono::month(static_cast<unsigned>(number(2))),
                                         std::chrono::day(static_cast<unsigned>(number(3))));
  if (!date.ok() || number(4) > 23 || number(5) > 59 || number(6) > 60) return std::nullopt;
  std::string fraction = part[7].str();
  fraction.resize(3, '0');
  const auto zone = std::chrono::hours(number(9)) + std::chrono::minutes(number(10));
  const Milliseconds local = std::chrono::sys_days(date) + std::chrono::hours(number(4)) +
                             std::chrono::minutes(number(5)) + std::chrono::seconds(number(6)) +
                             std::chrono::milliseconds(std::stoi(fraction));
  return text_of(part[8].str() == "-" ? local + zone : local - zone);
}

}  // namespace ratchet
