#include "kernels/contract/check.h"

#include <exception>
#include <map>

namespace ratchet {
namespace {

using Check = std::function<CheckResult(const Stage&)>;

using InSituCheck = std::function<InSituResult(const TimedRow&)>;

std::map<std::string, Check>& checks() {
  static std::map<std::string, Check> by_family;
  return by_family;
}

std::map<std::string, InSituCheck>& in_situ_checks() {
  static std::map<std::string, InSituCheck> by_family;
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

InSituResult check_in_situ(const TimedRow& row) {
  const auto found = in_situ_checks().find(row.stage.info().family());
  if (found == in_situ_checks().end())
    return {InSituState::unchecked,
            "family '" + row.stage.info().family() + "' registered no check at the point"};
  try {
    return found->second(row);
  } catch (const std::exception& error) {
    return {InSituState::wrong, error.what()};
  }
}

CheckRegistration::CheckRegistration(std::string family, Check check) {
  checks()[std::move(family)] = std::move(check);
}

InSituCheckRegistration::InSituCheckRegistration(std::string family, InSituCheck check) {
  in_situ_checks()[std::move(family)] = std::move(check);
}

}  // namespace ratchet
