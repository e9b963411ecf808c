// What the stages of toy share: one word after the other, counted by a function of the stage's own.
#pragma once

#include <string>

#include "kernels/support/rng/splitmix64.h"
#include "kernels/toy/toy.h"

namespace ratchet::toy {

/// Ones in a word.
using OnesOf = unsigned (*)(std::uint64_t word);

/// The facts of a stage of that name; parameters are "words" and "seed".
StageInfo stage_info(const std::string& name, const std::string& summary);

template <OnesOf ones_of>
class WordCount final : public Count {
 public:
  WordCount(std::uint64_t words, std::uint64_t seed) : words_(words), seed_(seed) {}
  void run() override {
    SplitMix64 generator(seed_);
    ones_ = 0;
    for (std::uint64_t i = 0; i < words_; ++i) ones_ += ones_of(generator.next64());
  }
  std::uint64_t collect() override { return ones_; }
  std::uint64_t units() const override { return words_; }

 private:
  std::uint64_t words_, seed_, ones_ = 0;
};

template <OnesOf ones_of>
class WordStage final : public ToyStage {
 public:
  using ToyStage::ToyStage;
  std::unique_ptr<Count> prepare_count(const Parameters& parameters) const override {
    return std::make_unique<WordCount<ones_of>>(parameters.at("words"), parameters.at("seed"));
  }
};

}  // namespace ratchet::toy
