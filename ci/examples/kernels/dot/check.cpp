// The reference, and the checks by it that stand before and after every timing.
#include "kernels/contract/check.h"

#include <string>

#include "dot.h"

namespace {

/// The definition, in whole numbers.
long long reference(std::size_t count) {
  long long sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<long long>(dot::first(i)) * static_cast<long long>(dot::second(i));
  return sum;
}

ratchet::CheckResult check(const ratchet::Stage& stage) {
  const auto& mine = dynamic_cast<const dot::Stage&>(stage);
  for (const std::size_t count : {1, 2, 3, 4, 5, 63, 64, 65, 1 << 16}) {
    ratchet::Parameters parameters = mine.defaults();
    const auto product = mine.prepare_product(parameters.set("elements", count));
    product->run();
    const double expected = static_cast<double>(reference(count)), seen = product->collect();
    if (seen != expected)
      return {false, std::to_string(count) + " elements: expected " + std::to_string(expected) +
                         ", found " + std::to_string(seen)};
  }
  return {true, "dot products of up to 65536 elements, exactly"};
}

/// What the timed instance computed, at the very size that was timed.
ratchet::InSituResult verify_in_situ(const ratchet::TimedRow& row) {
  const auto& product = dynamic_cast<const dot::Product&>(row.instance);
  const double expected = static_cast<double>(reference(product.units())), seen = product.collect();
  if (seen == expected) return {ratchet::InSituState::right, "its sum, exactly"};
  return {ratchet::InSituState::wrong,
          "expected " + std::to_string(expected) + ", found " + std::to_string(seen)};
}

const ratchet::CheckRegistration registered("dot", check);
const ratchet::InSituCheckRegistration registered_point("dot", verify_in_situ);

}  // namespace
