// Stages that answer one question of their text and are swept for it, but not gated.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ratchet {

/// Declares beside a stage's Registration that ratchet-bench measures it in surveys, and where
/// parameters are asked for, but has no row of its defaults: there another stage is measured already.
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
