// The quick check of a toy stage, before it is timed.
#include "kernels/contract/check.h"

#include <string>

#include "kernels/toy/toy.h"
#include "reference/toy.h"

namespace ratchet::toy {
namespace {

CheckResult check(const Stage& stage) {
  const auto* toy = dynamic_cast<const ToyStage*>(&stage);
  if (!toy) return {false, stage.info().name + " is no toy stage"};
  for (const std::uint64_t words : {1, 2, 63, 64, 10007}) {
    Parameters parameters = toy->defaults();
    const auto count = toy->prepare_count(parameters.set("words", words).set("seed", words));
    count->run();
    count->wait();
    const std::uint64_t expected = reference::toy::ones(words, words), seen = count->collect();
    if (seen != expected || count->units() != words)
      return {false, std::to_string(words) + " words: expected " + std::to_string(expected) +
                         " ones, found " + std::to_string(seen)};
  }
  return {true, "the ones of up to 10007 words, exactly"};
}

const CheckRegistration registered("toy", check);

}  // namespace
}  // namespace ratchet::toy
