// A stage so small that it is compiled again and again, each time with one change.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet {

inline const char* const toy_header = R"(
#include <cstdint>
namespace toy {
inline std::uint64_t turned(std::uint64_t x) { return x << 7 | x >> 57; }
extern const unsigned table[4];
}
)";

inline const char* const toy_table =
    "namespace toy { extern const unsigned table[4]; const unsigned table[4] = {3, 1, 4, 1}; }\n";

inline const char* const toy_stage = R"(
#include "kernels/contract/stage.h"
#include "toy.h"
namespace {
using namespace ratchet;
constexpr unsigned weights[4] = {2, 7, 1, 8};
std::uint64_t step(std::uint64_t x) { return toy::turned(x) + weights[x % 4] * toy::table[x % 3]; }
struct Sum final : Instance {
  explicit Sum(std::uint64_t count) : chunk(count / 2) {}
  void run() override { for (std::uint64_t i = 0; i < 2 * chunk; ++i) state = step(state); }
  std::uint64_t units() const override { return 2 * chunk; }
  std::uint64_t collect() const { return state; }
  std::uint64_t state = 1, chunk;
};
struct SumStage final : Stage {
  SumStage() : Stage({.name = "toy/cpu/01_sum", .summary = "adds up"}) {}
  std::unique_ptr<Instance> prepare(const Parameters& p) const override {
    return std::make_unique<Sum>(p.at("words"));
  }
};
const Registration registered{std::make_unique<SumStage>()};
}
)";

/// Under the name that a test gives, and that of ratchet-bench.
inline const char* const toy_clock = R"(
extern "C" int timed_act(int x) { return x + 1; }
namespace ratchet { struct Instance; namespace timing { namespace {
struct WallTimer { __attribute__((used, noinline)) int time_run(Instance& x); };
int WallTimer::time_run(Instance&) { return timed_act(7); }
}}}
)";

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

struct ToySource {
  std::string header = toy_header, table = toy_table, stage = toy_stage, clock = toy_clock,
              flags = "-O2", folder = "build";
  /// `from` in the stage's own file becomes `to`.
  ToySource with(const std::string& from, const std::string& to) const {
    ToySource edited = *this;
    edited.stage = replaced(stage, from, to);
    return edited;
  }
};

class ToyStage : public testing::Test {
 protected:
  static void compile(const std::filesystem::path& source, const std::filesystem::path& object,
                      const std::string& flags) {
    const std::string headers =
        flags == precompiled_flags && source.filename() == "cpu_01_sum.cpp" ? precompiled() : "";
    run_compiler(flags,
                 fmt::format("{} -I{} -I{} -c {}", headers, RATCHET_SOURCE_DIR,
                             source.parent_path().parent_path().string(), source.string()),
                 object);
  }
  static void run_compiler(const std::string& flags, const std::string& more,
                           const std::filesystem::path& output) {
    const ProcessResult result =
        run_process({"sh", "-c",
                     fmt::format("{} -std=c++20 {} -ffunction-sections -fdata-sections {} -o {}",
                                 compiler(), flags, more, output.string())},
                    120);
    ASSERT_TRUE(result.ok()) << result.describe() << result.errors;
  }
  static constexpr const char* precompiled_flags = "-O2";
  /// Of the objects; a test of another processor's names its cross compiler.
  static std::string& compiler() {
    static std::string name = "c++";
    return name;
  }
  static constexpr const char* cross_compiler = "aarch64-linux-gnu-g++";
  static bool has_cross_compiler() {
    return run_process({"sh", "-c", fmt::format("command -v {}", cross_compiler)}, 20).ok();
  }
  /// The option by which GCC finds the header that a toy stage begins with, parsed once for all
  /// tests of this process: parsing it is most of a compilation. The objects are the same. It takes
  /// as long as three stages, so the first ones do without it.
  static std::string precompiled() {
    static const ScratchFolder folder;
    static std::map<std::string, int> asked;
    if (++asked[compiler()] < 3) return "";
    const std::filesystem::path of_parts = folder.path() / compiler() /
                                           "kernels/contract/stage_part.h.gch",
                                of_stage = of_parts.parent_path() / "stage.h.gch";
    if (!std::filesystem::exists(of_stage)) {
      std::filesystem::create_directories(of_parts.parent_path());
      run_compiler(precompiled_flags,
                   "-I" RATCHET_SOURCE_DIR " -x c++-header " RATCHET_SOURCE_DIR
                   "/kernels/contract/stage_part.h",
                   of_parts);
      std::filesystem::create_hard_link(of_parts, of_stage);  // it has the other one, too
    }
    return "-I" + (folder.path() / compiler()).string();
  }

  /// The objects of a build in a folder of its own.
  std::vector<std::filesystem::path> build(const ToySource& source) {
    const std::filesystem::path root = scratch_.path() / source.folder, toy = root / "toy";
    const std::filesystem::path objects = root / "x.dir" / "toy",
                                others = root / "x.dir" / "timing";
    for (const std::filesystem::path& folder : {toy, objects, others})
      std::filesystem::create_directories(folder);
    write_atomically(root / "toy.h", source.header);
    write_atomically(toy / "table.cpp", source.table);
    write_atomically(toy / "cpu_01_sum.cpp", source.stage);
    write_atomically(toy / "clock.cpp", source.clock);
    compile(toy / "table.cpp", objects / "table.cpp.o", source.flags);
    compile(toy / "cpu_01_sum.cpp", objects / "cpu_01_sum.cpp.o", source.flags);
    compile(toy / "clock.cpp", others / "clock.cpp.o", "-O2");
    return {objects / "table.cpp.o", objects / "cpu_01_sum.cpp.o", others / "clock.cpp.o"};
  }

#ifdef RATCHET_NVCC
  static void compile_kernels(const std::filesystem::path& source,
                              const std::filesystem::path& object) {
    const ProcessResult result =
        run_process({RATCHET_NVCC, "-std=c++20", "-O2", "-lineinfo", "-arch=sm_90",
                     "-Xcompiler=-ffunction-sections,-fdata-sections", "-I" RATCHET_SOURCE_DIR,
                     "-c", source, "-o", object},
                    300);
    ASSERT_TRUE(result.ok()) << result.describe() << result.errors;
  }
#endif

  ScratchFolder scratch_;
};

#ifdef RATCHET_NVCC
inline const char* const toy_kernels = R"(
#include "kernels/contract/stage.h"
namespace {
using namespace ratchet;
__global__ void add(unsigned* to, unsigned x) { to[threadIdx.x] += x; }
__global__ void take(unsigned* to, unsigned x) { to[threadIdx.x] -= x; }
struct Sum final : Instance {
  void run() override { add<<<8, 256>>>(nullptr, 3); }
  std::uint64_t units() const override { return 1; }
};
struct SumStage final : Stage {
  SumStage() : Stage({.name = "toy/cuda/01_sum", .backend = Backend::cuda}) {}
  std::unique_ptr<Instance> prepare(const Parameters&) const override {
    return std::make_unique<Sum>();
  }
};
const Registration registered{std::make_unique<SumStage>()};
}
)";
#endif

}  // namespace ratchet
