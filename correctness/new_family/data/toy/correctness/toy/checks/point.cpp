// The check of a toy row at the point that was timed: all of its words once more, as defined.
#include <string>

#include "kernels/contract/check.h"
#include "kernels/toy/toy.h"
#include "reference/toy.h"

namespace ratchet::toy {
namespace {

InSituResult check(const TimedRow& row) {
  auto* count = dynamic_cast<Count*>(&row.instance);
  if (!count) return {InSituState::unchecked, "no count of toy was timed"};
  const std::uint64_t words = row.parameters.at("words"),
                      expected = reference::toy::ones(words, row.parameters.at("seed")),
                      seen = count->collect();
  return {seen == expected ? InSituState::right : InSituState::wrong,
          std::to_string(words) + " words: " + std::to_string(seen) + " ones of " +
              std::to_string(expected)};
}

const InSituCheckRegistration registered("toy", check);

}  // namespace
}  // namespace ratchet::toy
