// officers/cpu/03_rare_values
// Changed:  sums with a rare value first, which alone exclude common values; the first common value
//           left is the value, once other sums have shown every rare value below it.
// Why:      1584 rare positions and some 2700 further sums, where half a million were.
// Expected: the text: 50 thousand values a second.
// Source:   mvr, "The Rare-Value Algorithm", whose code on a CPU verifies its
//           values likewise.
#include "kernels/officers/whole/whole.h"

namespace ratchet::officers {
namespace {

class RareRun final : public Run {
 public:
  RareRun(const Parameters& parameters, const State& from)
      : start_(from.next), count_(parameters.at("count")), values_(from) {}
  void run() override {
    values_.cut(start_);
    work_ = {};
    for (std::uint64_t i = 0; i < count_; ++i) values_.next(work_);
  }
  std::uint64_t units() const override { return count_; }
  Result collect() override {
    const auto& all = values_.values();
    return {start_, {all.begin() + static_cast<std::ptrdiff_t>(start_), all.end()}, work_};
  }

 private:
  std::uint64_t start_, count_;
  RareValues values_;
  Work work_;
};

const Registration registered{
    make_cpu_stage<RareRun>(RATCHET_STAGE, "Sums with rare values first, then verification",
                            of_text("The Rare-Value Algorithm"), 8192)};

}  // namespace
}  // namespace ratchet::officers
