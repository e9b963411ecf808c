// officers/cuda/01_one_block
// Changed:  256 values at a time, a thread each, in one block of threads: backwards over all options
//           that are known, all threads alike; then forwards, one value after the other, each told to
//           the threads after it. The values seen are 256 bits in registers, kept in one of three
//           ways, or in local memory by an index (parameter `mex`).
// Why:      the options of different values are the same rare positions, and so the same program.
// Expected: backwards 1584 options of some 30 instructions for 8 warps, 95 thousand cycles; forwards
//           256 times 150 cycles, 40 thousand: 530 cycles a value, 3.7 M/s at 1.98 GHz.
//           In fact half of it. With the shifts in a loop, and with the predicated one, it is
//           slower still: a word takes a compare and a select there (64 of each more in the
//           disassembly) and a shift in the others.
// Source:   mvr, "Calculating a Block of Values" and "Tracking the MEX in a
//           Thread". The two barriers of a forward step there are one here: two turns write apart.
#include "kernels/officers/blocks/stage.cuh"
// After it, whose device functions it uses:
#include "kernels/officers/blocks/chain.cuh"

namespace ratchet::officers {

/// Where the text has the rare positions and values: all lanes read the same word at once.
__constant__ std::uint32_t constant_rares[blocks::kMostRares];

/// `Shape` with these. Not nameless: the compiler gives nameless types another name in every build.
template <class Shape>
struct ConstantRares : Shape {
  __device__ static std::uint32_t rare_of(std::uint32_t j) { return constant_rares[j]; }
};

namespace {

using namespace blocks;

struct OneBlock {
  static StageInfo info() {
    return {
        .name = RATCHET_STAGE,
        .summary = "one block of threads: backwards over known options, forwards one by one",
        .source = of_text("Calculating a Block of Values"),
        .parameters = {count_of(std::uint64_t{1} << 17),
                       block_of(256),
                       {"mex", 2, 0, 3,
                        "values seen: 0 predicated loop, 1 clamped shifts, 2 those by hand, "
                        "3 by an index"},
                       {"rares", 0, 0, 1, "rare values in: 0 shared memory, 1 constant memory"}},
        .sweep = {{{"mex", 0}}, {{"mex", 1}}},
        .survey = {
            {{"block", 128}}, {{"block", 512}}, {{"block", 1024}}, {{"mex", 3}}, {{"rares", 1}}}};
  }
  template <int kBlock>
  static Kernel kernel(const Parameters& parameters) {
    if (parameters.at("rares") == 1) return of_constant_rares<kBlock>(parameters);
    switch (parameters.at("mex")) {
      case 0: return of<Shape<kBlock, PredicatedMex, Forward::in_order>>();
      case 1: return of<Shape<kBlock, ShiftedMex, Forward::in_order>>();
      case 3: return of<Shape<kBlock, IndexedMex, Forward::in_order>>();
      default: return of<Shape<kBlock, MembersMex, Forward::in_order>>();
    }
  }
  /// The rares are copied before each run, some 6 KB.
  template <int kBlock>
  static Kernel of_constant_rares(const Parameters& parameters) {
    if (parameters.at("mex") != 2)
      throw Error(std::string(RATCHET_STAGE) + ": rares=1 has one way to keep a mex: set mex=2");
    Kernel kernel = of<ConstantRares<Shape<kBlock, MembersMex, Forward::in_order>>>();
    kernel.launch = [run = kernel.launch](const Job& job, std::uint32_t blocks) {
      RATCHET_CUDA(cudaMemcpyToSymbolAsync(constant_rares, job.rares,
                                           job.all_rares * sizeof *job.rares, 0,
                                           cudaMemcpyDeviceToDevice));
      run(job, blocks);
    };
    return kernel;
  }
  template <class Shape>
  static Kernel of() {
    return cooperative<Shape>(chain<Shape>);
  }
};

const Registration registered{std::make_unique<BlocksStage<OneBlock>>()};

}  // namespace
}  // namespace ratchet::officers
