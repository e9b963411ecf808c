#include "kernels/contract/check.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>

#include "kernels/contract/kernel.h"

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
  } catch (const NoCheckData&) {
    throw;
  } catch (const std::exception& error) {
    return {false, error.what()};
  }
}

InSituResult check_in_situ(const TimedRow& row) {
  const auto found = in_situ_checks().find(row.stage.info().family());
  if (found == in_situ_checks().end())
    return {InSituState::unchecked,
            "family '" + row.stage.info().family() + "' registered no in-situ check"};
  try {
    return found->second(row);
  } catch (const NoCheckData&) {
    throw;
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

namespace detail {

void register_self_checks(const std::string& family) {
  CheckRegistration(family, [](const Stage& stage) -> CheckResult {
    if (const auto* checked = dynamic_cast<const SelfChecking*>(&stage)) return checked->check();
    return {false,
            "the stage has no reference; register it by kernel<...>(), as the rest of its family"};
  });
  InSituCheckRegistration(family, [](const TimedRow& row) -> InSituResult {
    if (const auto* checked = dynamic_cast<const SelfChecking*>(&row.stage))
      return checked->check(row);
    return {InSituState::unchecked, "the stage has no reference"};
  });
}

void refuse_kernel(const std::string& name) {
  std::fprintf(stderr,
               "ratchet: the kernel %s has no .inputs(...) or no .reference(...); give it both\n",
               name.c_str());
  std::abort();
}

}  // namespace detail

}  // namespace ratchet
