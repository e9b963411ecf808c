// Stages that answer one question of their article and are swept for it, but not gated.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ratchet {

/// Stands next to a stage's Registration. ratchet-bench then measures the stage, also with its
/// defaults, in surveys and with given parameters, but the gate has no row of it: another stage is
/// measured already.
class SurveyOnly {
 public:
  explicit SurveyOnly(std::string stage) { names().push_back(std::move(stage)); }
  static bool is(std::string_view stage) {
    return std::find(names().begin(), names().end(), stage) != names().end();
  }

 private:
  static std::vector<std::string>& names() {
    static std::vector<std::string> all;
    return all;
  }
};

}  // namespace ratchet
