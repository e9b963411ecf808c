#include "perf/measure/interleaving_protocol.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace ratchet::timing {
namespace {

constexpr std::string_view mark = "slices: ", ready = "ready ", done = "done", go = "go ",
                           pause = "pause ", end = "end";

/// Removes a number from the beginning of `text` and returns it; nothing if there is none.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [stopped, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  return number;
}

/// Removes a word from the beginning of `text`; false if `text` does not begin with it.
bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::string words(std::string_view word, std::int64_t number) {
  return std::string(word) + std::to_string(number);
}

struct Line {
  std::string operator()(const Go& what) const {
    return words(go, static_cast<std::int64_t>(what.samples));
  }
  std::string operator()(const Pause& what) const {
    return words(pause, what.begin_ns) + " " + std::to_string(what.end_ns);
  }
  std::string operator()(const End&) const { return std::string(end); }
  std::string operator()(const Ready& what) const {
    return std::string(mark) + std::string(ready) + std::to_string(what.run_s);
  }
  std::string operator()(const Done&) const { return std::string(mark) + std::string(done); }
};

}  // namespace

std::string to_line(const SliceCommand& command) { return std::visit(Line(), command); }
std::string to_line(const SliceAnswer& answer) { return std::visit(Line(), answer); }

std::optional<SliceCommand> read_command(const std::string& line) {
  std::string_view text = line;
  if (text == end) return End{};
  if (take_word(text, go)) {
    const auto samples = take_number<std::size_t>(text);
    if (samples && *samples > 0 && text.empty()) return Go{*samples};
  } else if (take_word(text, pause)) {
    const auto begin_ns = take_number<std::int64_t>(text);
    if (!begin_ns || !take_word(text, " ")) return std::nullopt;
    const auto end_ns = take_number<std::int64_t>(text);
    if (end_ns && text.empty()) return Pause{*begin_ns, *end_ns};
  }
  return std::nullopt;
}

std::optional<std::string> read_slice_line(const std::string& line) {
  if (!line.starts_with(mark)) return std::nullopt;
  return line.substr(mark.size());
}

std::optional<SliceAnswer> read_answer(const std::string& said) {
  std::string_view text = said;
  if (text == done) return Done{};
  if (!take_word(text, ready)) return std::nullopt;
  const auto run_s = take_number<double>(text);
  if (!run_s || !text.empty() || !(*run_s >= 0 && std::isfinite(*run_s))) return std::nullopt;
  return Ready{*run_s};
}

}  // namespace ratchet::timing
