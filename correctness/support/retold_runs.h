// Instances with wrong runs, to prove that the in-situ checks see it. They do nothing after the
// first run, or report each run with a fault.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/contract/check.h"

namespace ratchet::correctness {

/// `Base`: the instance of a family, which has collect().
template <class Base>
class RetoldRuns final : public Base {
 public:
  using Result = decltype(std::declval<Base&>().collect());
  /// What is told of a run that left `seen`, after one of which `before` was told.
  using Retell = std::function<Result(Result seen, const std::optional<Result>& before)>;

  /// `units`: what it claims.
  RetoldRuns(std::unique_ptr<Base> inner, std::uint64_t units, Retell retell, bool idle = false)
      : inner_(std::move(inner)), units_(units), retell_(std::move(retell)), idle_(idle) {}

  void run() override {
    if (idle_ && told_) return;
    inner_->run();
    inner_->wait();
    told_ = retell_(inner_->collect(), told_);
  }
  std::uint64_t units() const override { return units_; }
  Result collect() override { return told_ ? *told_ : inner_->collect(); }

 private:
  std::unique_ptr<Base> inner_;
  std::uint64_t units_;
  Retell retell_;
  bool idle_;
  std::optional<Result> told_;
};

/// How the check at the point judges a first run of `inner` that is right in all but the units that
/// it claims.
template <class Base>
InSituState judged_claiming(std::uint64_t units, const Stage& stage, const Parameters& parameters,
                            std::unique_ptr<Base> inner) {
  RetoldRuns<Base> claims(std::move(inner), units, [](auto seen, const auto&) { return seen; });
  claims.run();
  return check_in_situ({stage, parameters, claims, "", 0, true, 1, true}).state;
}

}  // namespace ratchet::correctness
