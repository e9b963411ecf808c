// What the name of a row says of its parameters: "life/cuda/05_strided/width:4096/height:4096".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ratchet::report {

/// Values of parameters by name.
using Settings = std::map<std::string, std::uint64_t>;

/// The parameters that the name of a row sets behind its stage; nothing when a part is no
/// "parameter:number" ("input:glider.rle").
std::optional<Settings> settings_of(std::string_view row_name);

/// Which rows of a stage are meant: those whose parameters, `defaults` where the name is silent,
/// are `wanted`, and that differ from the defaults in nothing else but `free` ones.
struct RowPattern {
  std::string stage;
  Settings wanted;
  Settings defaults;
  std::set<std::string> free;

  /// The settings of a row that is meant, defaults filled in; nothing for any other row.
  std::optional<Settings> match(std::string_view row_name) const;
};

}  // namespace ratchet::report
