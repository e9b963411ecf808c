#include "correctness/perf/support/fuzz/json_properties.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "perf/gate/baseline/measurements.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#if __has_include("perf/gate/baseline/third_party_json.h")
#include "perf/gate/baseline/other_formats.h"
#include "perf/gate/baseline/third_party_json.h"
#define RATCHET_HAVE_THIRD_PARTY 1
#endif

namespace ratchet::fuzz {
namespace {

using nlohmann::json;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

/// What `act` returns, or nothing when it refuses as it should.
template <typename Act>
auto read_or_refuse(const Act& act) -> std::optional<decltype(act())> {
  try {
    return act();
  } catch (const Error& error) {
    const std::string line = error.what();
    require(!line.empty() && line.size() <= 4096, "a message of " + std::to_string(line.size()));
    require(line == printable(line), "a message that is not one printable line: " + line);
    return std::nullopt;
  }
}

bool close(double a, double b) { return a == b || std::fabs(a - b) <= 1e-6 * std::fabs(a); }

bool close(const Launch& a, const Launch& b) {
  if (!close(a.real_ms, b.real_ms) || !close(a.cpu_ms, b.cpu_ms) || a.iterations != b.iterations)
    return false;
  if (a.counters.size() != b.counters.size()) return false;
  for (const auto& [name, value] : a.counters) {
    const auto other = b.counter(name);
    if (!other || !close(value, *other)) return false;
  }
  return true;
}

void require_equal(const Measurements& a, const Measurements& b) {
  require(a.rows.size() == b.rows.size(), "rows were lost");
  for (const auto& [name, row] : a.rows) {
    const auto other = b.rows.find(name);
    require(other != b.rows.end(), "row " + name.text() + " was lost");
    require(row.launches.size() == other->second.launches.size(), "launches were lost");
    require(row.tolerance.has_value() == other->second.tolerance.has_value(), "a tolerance");
    for (std::size_t i = 0; i < row.launches.size(); ++i)
      require(close(row.launches[i], other->second.launches[i]),
              "a figure of " + name.text() + " moved");
  }
  require(a.fingerprint().fields == b.fingerprint().fields, "the fingerprint moved");
}

void check_rows(const json& root) {
  if (!root.is_object() || !root.contains("benchmarks") || !root["benchmarks"].is_array()) return;
  for (const json& row : root["benchmarks"]) {
    if (!row.is_object()) continue;
    const auto launch = read_or_refuse([&] { return parse_launch(row, "a row"); });
    if (!launch) continue;
    require(std::isfinite(launch->real_ms) && launch->real_ms > 0, "a time that is none");
    if (const auto wrong = complaint(*launch))
      require(*wrong == printable(*wrong), "a complaint that is not one printable line");
  }
}

/// The reader of other programs' files, which also takes the bare NaN that strict JSON refuses.
void check_third_party([[maybe_unused]] std::string_view text) {
#ifdef RATCHET_HAVE_THIRD_PARTY
  ThirdPartyMeasurements read;
  try {
    const auto go = from_go(text, "the input");
    const json root = go ? *go : parse_json(without_bare_nan(text), "the input");
    const auto sampled = from_sampled_json(root, "the input");
    read = parse_third_party(sampled ? *sampled : root, "the input");
  } catch (const Error&) {  // names rows as they are called: main() makes a line of it
    return;
  }
  for (const auto& [name, row] : read.measured.rows) {
    require(!row.launches.empty(), "a third-party row without launches: " + name.text());
    for (const double speed : row.throughputs())
      require(std::isfinite(speed) && speed > 0,
              "a third-party row without throughput: " + name.text());
  }
  require(!to_text(read.measured).empty(), "third-party measurements that are written as nothing");
#endif
}

}  // namespace

Reached check_json_input(std::string_view text) {
  check_third_party(text);
  const auto root = read_or_refuse([&] { return parse_json(text, "the input"); });
  if (!root) return Reached::refused;
  require(parse_json(root->dump(), "the dump") == *root, "JSON that does not read back equal");
  require(!pretty(*root, 3).empty(), "JSON that is written as nothing");
  check_rows(*root);
  const auto first = read_or_refuse([&] { return parse_measurements(text, "the input"); });
  if (!first) return Reached::json;
  const std::string written = to_text(*first);
  const Measurements second = parse_measurements(written, "what was written");
  require_equal(*first, second);
  require(to_text(second) == written, "written twice, and not the same");
  return Reached::measurements;
}

}  // namespace ratchet::fuzz

/// For libFuzzer (ci/fuzz). What the properties throw ends the run, and libFuzzer keeps the input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ratchet::fuzz::check_json_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
