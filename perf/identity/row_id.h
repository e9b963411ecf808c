// The identity of a row: a stage with values of its parameters, or a third-party benchmark.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perf/identity/machine/fingerprint.h"

namespace ratchet {

/// Values of parameters by name.
using Settings = std::map<std::string, std::uint64_t>;
/// The same as texts, in the order in which the stage declares them.
using SettingTexts = std::vector<std::pair<std::string, std::string>>;

/// "family/backend/NN_idea", then "/parameter:value" for each parameter with another value than its
/// default. A third-party benchmark may have any name. Converts to and from text implicitly, like
/// std::filesystem::path. Only this class parses the text.
class RowId {
 public:
  RowId() = default;
  RowId(std::string text);
  RowId(const char* text) : RowId(std::string(text)) {}
  RowId(const std::string& stage, const SettingTexts& settings);

  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }
  operator std::string_view() const { return text_; }
  bool empty() const { return text_.empty(); }

  /// The first part of the name.
  std::string family() const { return text_.substr(0, text_.find('/')); }
  /// The first three parts; the whole name if there are fewer.
  std::string stage() const { return text_.substr(0, stage_end_); }
  /// The second of three parts: "cuda"; empty if there are fewer.
  std::string_view backend() const;
  /// The last part of the stage: "03_warp_reduce".
  std::string idea() const { return stage().substr(text_.rfind('/', stage_end_ - 1) + 1); }
  /// What follows the stage: "width:4096/steps:8"; empty where all parameters have their defaults.
  std::string settings_text() const {
    return stage_end_ < text_.size() ? text_.substr(stage_end_ + 1) : "";
  }
  /// Determined by the backend ("graveler/cuda/03_x": gpu). A stage of the backend mpi whose name
  /// ends in "gpus" depends on GPUs ("graveler/mpi/02_gpus/ranks:2"). A name without a known
  /// backend, such as that of a third-party benchmark, depends on the CPU.
  Device device() const;
  /// The parameters after the stage; nothing if a part is not "parameter:number" ("input:x.rle").
  std::optional<Settings> settings() const;
  /// The number of processes: "ranks" of a stage of the backend mpi, else 1.
  std::uint64_t ranks() const;

  auto operator<=>(const RowId& other) const { return text_ <=> other.text_; }
  bool operator==(const RowId& other) const { return text_ == other.text_; }

 private:
  std::string text_;
  std::size_t stage_end_ = 0;
};

inline std::ostream& operator<<(std::ostream& out, const RowId& row) { return out << row.text(); }
void to_json(nlohmann::json& value, const RowId& row);
void from_json(const nlohmann::json& value, RowId& row);

/// kernels/contract/row_filter.h
std::set<RowId> select_rows(const std::set<RowId>& names, const std::string& filter);

/// The same for what decides over rows, such as a tolerance, when the row that it names may not be
/// among `names`: a text with a slash and no expression that begins with a part of a row's name
/// must end with one, so "BM/16" does not select "BM/160", nor "b/Find" "b/FindAll". The whole name
/// of a row selects it and what it begins, so "Find" selects "b/Find" and "b/Find/8", and
/// "b/FindAll" only where there is no "b/Find".
std::set<RowId> select_stated(const std::set<RowId>& names, const std::string& text);

}  // namespace ratchet

template <>
struct fmt::formatter<ratchet::RowId> : fmt::formatter<std::string> {
  auto format(const ratchet::RowId& row, fmt::format_context& context) const {
    return fmt::formatter<std::string>::format(row.text(), context);
  }
};
