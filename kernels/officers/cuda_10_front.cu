// officers/cuda/10_front
// Changed:  one block of threads resolves values, 128 at a time; the others prepare candidates from
//           far rare positions, or verify behind: all at once, in one cooperative launch.
// Why:      work is not the limit, the chain is: each value may depend on the one before. What can
//           be done away from it is, and what stays is compared with few candidates.
// Expected: 3.4 rounds of 200 cycles a block, 150 for the block before: 800 to 1300 cycles of 128
//           values, 200 M/s at 1.98 GHz, less what waiting for prepared candidates costs.
//           In fact less than half: the rounds are two thirds of a block's time (README.md).
// Source:   ratchet; the speculation is that of mvr, "Speculating in the Forward
//           Phase".
#include "kernels/officers/front/stage.cuh"
// After it, which has what it uses:
#include "kernels/officers/front/kernel.cuh"

namespace ratchet::officers {
namespace {

using Shape = front::Shape<128, 4, 3, 768>;

class FrontStage final : public OfficersStage {
 public:
  FrontStage() : OfficersStage(make_info(), true) {}
  bool takes(const State& state) const override { return front::can_launch(state); }
  std::unique_ptr<Run> prepare_run(const Parameters& parameters, const State& from) const override {
    front::require_launch(info().name, from);
    return std::make_unique<front::FrontRun<Shape, front::extend<Shape>>>(parameters, from);
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
         .summary = "One block resolves, others prepare and verify, all at once",
         .source = "ratchet",
         // The floor of the one block, 750 cycles for 128 values (STAGES.md); a step of the chain
         // takes 4.13 cycles.
         .limit = {"cuda.register_chain", 750.0 / 128 / 4.13},
         .parameters = std::move(parameters),
         .sanitizer_run = {{"start", kCommonFrom}, {"count", 4096}},
         // Roles meet at named barriers between two meetings of the block: racecheck
         // (CUDA 13.0) then calls accesses races that the block's barrier parts, here
         // in most runs, and in a kernel of one buffer, one named and one block barrier.
         .skip_sanitizers = {"racecheck"},
         // How fast far out: the last of these takes a minute to get there.
         .survey = joined(
             grid({{"start",
                    {std::uint64_t{1} << 22, std::uint64_t{1} << 24, std::uint64_t{1} << 26,
                     std::uint64_t{1} << 28, std::uint64_t{1} << 30, std::uint64_t{1} << 32}}}),
             grid({{"preparers", {24, 40, 64, 100}}}))});
  }
};

const Registration registered{std::make_unique<FrontStage>()};

}  // namespace
}  // namespace ratchet::officers
