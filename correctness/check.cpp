#include "correctness/check.h"

#include <exception>
#include <map>

namespace ratchet {
namespace {

using Check = std::function<CheckResult(const Stage&)>;

std::map<std::string, Check>& checks() {
  static std::map<std::string, Check> by_family;
  return by_family;
}

}  // namespace

CheckResult quick_check(const Stage& stage) {
  const auto found = checks().find(stage.info().family());
  if (found == checks().end())
    return {false, "family '" + stage.info().family() + "' registered no check"};
  try {
    return found->second(stage);
  } catch (const std::exception& error) {
    return {false, error.what()};
  }
}

CheckRegistration::CheckRegistration(std::string family, Check check) {
  checks()[std::move(family)] = std::move(check);
}

}  // namespace ratchet
