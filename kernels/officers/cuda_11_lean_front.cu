// officers/cuda/11_lean_front
// Changed:  as 10, with less between a value and the next: a round writes the values that it reads,
//           a value is chosen without a branch, what one value in a hundred needs waits until no
//           value changes, and a permutation of bytes closes the gaps that options leave among
//           candidates.
// Why:      of 2940 cycles a block 10 spends 1965 in rounds, 450 before them, and waits for the
//           rest.
// Expected: rounds of 370 cycles, not 670, and 500 besides: 2050 a block of 128 values, 123 M/s at
//           1.98 GHz. In fact 1500 and waits of 500 for the preparing blocks (STAGES.md).
// Source:   ratchet; the speculation is that of mvr, "Speculating in the Forward
//           Phase".
#include "kernels/officers/front/stage.cuh"
// After it, which has what it uses:
#include "kernels/officers/lean_front/kernel.cuh"

namespace ratchet::officers {
namespace {

using Shape = lean::Shape<128, 4, 4, 768>;

class LeanFrontStage final : public OfficersStage {
 public:
  LeanFrontStage() : OfficersStage(make_info(), true) {}
  bool takes(const State& state) const override { return front::can_launch(state); }
  std::unique_ptr<Run> prepare_run(const Parameters& parameters, const State& from) const override {
    front::require_launch(info().name, from);
    return std::make_unique<front::FrontRun<Shape, lean::extend<Shape>>>(parameters, from);
  }

 private:
  static StageInfo make_info() {
    std::vector<Parameter> parameters = far_parameters(std::uint64_t{1} << 22);
    parameters[0].min = kCommonFrom;
    parameters[1].max = std::uint64_t{1} << 28;
    parameters.push_back({"preparers", 0, 0, front::kSlots / 2,
                          "blocks that prepare candidates; 0: two thirds of all"});
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "One block resolves, others prepare and verify, with less between two values",
         .source = "ratchet",
         // The floor of 10 (STAGES.md); a step of the chain takes 4.13 cycles.
         .limit = {"cuda.register_chain", 750.0 / 128 / 4.13},
         .parameters = std::move(parameters),
         .sanitizer_run = {{"start", kCommonFrom}, {"count", 4096}},
         // A round writes what others read in it: where that matters, a value changes, and there is
         // another round. racecheck reports it, and what it reports of 10.
         .skip_sanitizers = {"racecheck"},
         // How fast far out: the last of these takes a minute to get there.
         .survey = joined(
             grid({{"start",
                    {std::uint64_t{1} << 22, std::uint64_t{1} << 24, std::uint64_t{1} << 26,
                     std::uint64_t{1} << 28, std::uint64_t{1} << 30, std::uint64_t{1} << 32}}}),
             grid({{"preparers", {24, 40, 64, 100}}}))});
  }
};

const Registration registered{std::make_unique<LeanFrontStage>()};

}  // namespace
}  // namespace ratchet::officers
