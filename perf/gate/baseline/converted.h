// What the readers of other libraries' files share (other_formats.h).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ratchet::converted {

/// A member of an object, or null.
nlohmann::json member(const nlohmann::json& object, const char* key);

/// A number as such, or as text; nothing for anything else.
std::optional<double> number(const nlohmann::json& value);

/// A text without its quotes, or the JSON of another value.
std::string text_of(const nlohmann::json& value);

/// The row with an error, which costs this row alone.
nlohmann::json failed_row(nlohmann::json row, const std::string& reason);

/// The numbers of a list; NaN for an element that is not one. Empty for anything but a list.
std::vector<double> numbers(const nlohmann::json& list);

/// The seconds of the samples of a row's launches: a list for each process.
using Launches = std::vector<std::vector<double>>;

/// The rows of a file whose library times each row in processes of its own. A sample is a
/// repetition, whose "launch_index", a text, names its process.
class Rows {
 public:
  /// `unit`: of the times, "ns" or "s".
  Rows(std::string library, std::string what, std::string unit = "ns");

  /// A row of wall times, or of CPU times. It fails where a launch has no samples, or a time that
  /// is not a positive number. Throws `Error` for a name that is empty or that the file repeats.
  void add(const std::string& name, const Launches& launches, bool of_cpu = false);
  void fail(const std::string& name, const std::string& reason);
  /// The file in Google Benchmark's format. Throws `Error` where it has no rows.
  nlohmann::json take(nlohmann::json context = nlohmann::json::object());
  /// A metric that the file holds besides times, which decides nothing.
  void leave_out(const std::string& metric);

 private:
  nlohmann::json row(const std::string& name);

  std::string library_, what_, unit_;
  std::set<std::string> names_, not_judged_;
  nlohmann::json rows_ = nlohmann::json::array();
};

}  // namespace ratchet::converted
