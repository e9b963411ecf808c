#include "kernels/contract/check.h"

#include <exception>
#include <map>

namespace ratchet {
namespace {

using Check = std::function<CheckResult(const Stage&)>;

using PointCheck = std::function<PointResult(const TimedRow&)>;

std::map<std::string, Check>& checks() {
  static std::map<std::string, Check> by_family;
  return by_family;
}

std::map<std::string, PointCheck>& point_checks() {
  static std::map<std::string, PointCheck> by_family;
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

PointResult check_point(const TimedRow& row) {
  const auto found = point_checks().find(row.stage.info().family());
  if (found == point_checks().end())
    return {PointState::unchecked,
            "family '" + row.stage.info().family() + "' registered no check at the point"};
  try {
    return found->second(row);
  } catch (const std::exception& error) {
    return {PointState::wrong, error.what()};
  }
}

CheckRegistration::CheckRegistration(std::string family, Check check) {
  checks()[std::move(family)] = std::move(check);
}

PointCheckRegistration::PointCheckRegistration(std::string family, PointCheck check) {
  point_checks()[std::move(family)] = std::move(check);
}

}  // namespace ratchet
