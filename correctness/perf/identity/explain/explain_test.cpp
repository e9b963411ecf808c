// The sentences of perf/guide/bisect.md, each under its number: small stages are compiled twice,
// with one change between.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>

#include "correctness/perf/identity/explain/build_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "perf/identity/code/disassembler.h"
#include "perf/identity/explain/comparison.h"
#include "perf/identity/explain/listing.h"

namespace ratchet::explain {
namespace {

namespace fs = std::filesystem;

constexpr const char* row = "toy/cpu/01_sum";

class ExplainRule : public TwoBuilds {
 protected:
  void SetUp() override { unsetenv("RATCHET_OBJDUMP"); }
  void TearDown() override { unsetenv("RATCHET_OBJDUMP"); }

  /// Compiled once for all tests.
  const fs::path& before() {
    static const ScratchFolder folder;
    static const fs::path program = [this] {
      ToySource source;
      source.folder = folder.path();  // absolute: not in this test's own
      return TwoBuilds::program(source);
    }();
    return program;
  }
  fs::path now(ToySource source) {
    source.folder = "now";
    return program(source);
  }
  std::vector<std::string> differences(const ToySource& source) {
    return Comparison(before(), now(source)).differences(row);
  }
  /// What a run's row says of its work.
  static std::string said(const std::string& work, const std::string& parameters,
                          const std::string& input = "") {
    return fmt::format(R"({{"row": "{}", "work": "{}", "code": "c", "input": "{}", )"
                       R"("parameters": {{{}}}}})"
                       "\n",
                       row, work, input, parameters);
  }
  const ToySource plain_;
};

TEST_F(ExplainRule, S01WhatExecutesTheSameHasNoDifference) {
  EXPECT_EQ(differences(plain_), std::vector<std::string>());
  // A remark, a moved line, other names, and a function beside.
  EXPECT_EQ(differences(plain_.with("namespace {\n", "\n\n// A remark.\nnamespace {\n")),
            std::vector<std::string>());
  ToySource renamed = plain_;
  for (int i = 0; i < 2; ++i) renamed = renamed.with("step(", "advance(");
  EXPECT_EQ(differences(renamed.with("struct Sum final",
                                     "[[maybe_unused]] int beside(int x) { return x * 77; }\n"
                                     "struct Sum final")),
            std::vector<std::string>());
  EXPECT_EQ(Comparison(before(), now(plain_)).reasons(row),
            std::vector<std::string>{"both execute the same code"});
}

TEST_F(ExplainRule, S02AFunctionIsNamedWithInstructionsBytesAndOpcodes) {
  const auto lines = differences(plain_.with("toy::turned(x) + ", "toy::turned(x) / 3 + "));
  ASSERT_EQ(lines.size(), 1u) << joined(lines);
  EXPECT_TRUE(lines[0].starts_with("Sum::run(): 33 -> ")) << lines[0];
  EXPECT_HAS(lines[0], " instructions, 113 -> ");
  EXPECT_HAS(lines[0], " bytes: ");
  EXPECT_HAS(lines[0], "mul +1");
}

TEST_F(ExplainRule, S02FewInstructionsAreQuoted) {
  ToySource source = plain_;
  source.header = replaced(toy_header, "x << 7 | x >> 57", "x << 9 | x >> 55");
  const auto lines = differences(source);
  ASSERT_EQ(lines.size(), 1u) << joined(lines);
  EXPECT_HAS(lines[0], "`rol $0x7,%rcx` is now `rol $0x9,%rcx`");
  EXPECT_LACKS(lines[0], "->");
}

/// In listings of AArch64 "#" begins a literal, on x86 objdump's remark.
TEST_F(ExplainRule, S02FewInstructionsOfAarch64AreQuoted) {
  if (!has_cross_compiler()) GTEST_SKIP() << "no " << cross_compiler;
  setenv("RATCHET_OBJDUMP", "/usr/bin/aarch64-linux-gnu-objdump", 1);
  const auto objects = [&](const ToySource& source) {
    compiler() = cross_compiler;
    const auto built = build(source);
    compiler() = "c++";
    return built;
  };
  const auto listing = [&](const std::string& header) {
    ToySource source;
    source.header = replaced(toy_header, "x << 7 | x >> 57", header);
    const counters::ObjectCode code({objects(source)[1]});
    std::string text;
    for (std::uint32_t i = 1; i < 200; ++i) {
      const counters::CodeNode node{0, i, 0};
      if (code.section_name(node).find("3Sum3run") == std::string::npos) continue;
      for (const Instruction& each : listing_of(code, node)) text += each.text + "\n";
      break;
    }
    return text;
  };
  const std::string text = listing("x << 7 | x >> 57");
  EXPECT_HAS(text, "ror x5, x1, #57\n");
  EXPECT_HAS(text, "toy::table");
  EXPECT_LACKS(text, "//");
  EXPECT_NE(listing("x << 9 | x >> 55"), text);
}

TEST_F(ExplainRule, S02WhatIsInlinedNoMoreIsNew) {
  const auto lines = differences(
      plain_.with("std::uint64_t step(", "__attribute__((noinline)) std::uint64_t step("));
  ASSERT_EQ(lines.size(), 2u) << joined(lines);
  EXPECT_TRUE(lines[0].starts_with("step(unsigned long): new, ") ||
              lines[1].starts_with("step(unsigned long): new, "))
      << joined(lines);
}

TEST_F(ExplainRule, S02WhatHasAnotherTemplateArgumentIsRenamed) {
  const std::string kernel =
      "template <int n>\n__attribute__((noinline)) std::uint64_t mixed(std::uint64_t x) {\n"
      "  return x * n;\n}\nstd::uint64_t step(";
  ToySource first =
      plain_.with("std::uint64_t step(", kernel).with("toy::turned(x) + ", "mixed<3>(x) + ");
  ToySource second =
      plain_.with("std::uint64_t step(", kernel).with("toy::turned(x) + ", "mixed<5>(x) / 3 + ");
  first.folder = "first";
  second.folder = "second";
  const auto lines = Comparison(program(first), program(second)).differences(row);
  ASSERT_EQ(lines.size(), 2u) << joined(lines);
  EXPECT_HAS(joined(lines), "mixed<5>(unsigned long) (renamed from ");
  EXPECT_HAS(joined(lines), "mixed<3>(unsigned long)): ");
}

TEST_F(ExplainRule, S03ATableIsNamedWithThePlaceThatChanged) {
  EXPECT_EQ(differences(plain_.with("{2, 7, 1, 8}", "{2, 7, 1, 9}")),
            std::vector<std::string>{"table weights: 1 of 16 bytes changed, the first at 12"});
  ToySource source = plain_;
  source.table = replaced(toy_table, "{3, 1, 4, 1}", "{3, 2, 4, 1}");
  EXPECT_EQ(differences(source),
            std::vector<std::string>{"table toy::table: 1 of 16 bytes changed, the first at 4"});
}

TEST_F(ExplainRule, S03AConstantIsShownWithItsUser) {
  const std::string with_constant = "toy::turned(x) + std::uint64_t(double(x) * 0.3) + ";
  ToySource before = plain_.with("toy::turned(x) + ", with_constant), after = before;
  before.folder = "first";
  after = after.with("0.3", "0.7");
  after.folder = "second";
  const auto lines = Comparison(program(before), program(after)).differences(row);
  ASSERT_EQ(lines.size(), 1u) << joined(lines);
  EXPECT_HAS(lines[0], "in Sum::run(): {");
  EXPECT_HAS(lines[0], "(0.3)} is now {");
  EXPECT_HAS(lines[0], "(0.7)}");
}

TEST_F(ExplainRule, S04ParametersAndTheInputComeFirst) {
  ToySource edited = plain_.with("++i", "i += 2");
  edited.folder = "now";
  ToySource first = plain_;
  first.folder = "then";
  const fs::path then = program(first, said("w1", R"("words": "64", "seed": "1")"));
  const auto lines =
      Comparison(then, program(edited, said("w2", R"("words": "128", "seed": "1")", "i2")))
          .differences(row);
  ASSERT_EQ(lines.size(), 3u) << joined(lines);
  EXPECT_EQ(lines[0], "the input file differs");
  EXPECT_EQ(lines[1], "parameter words: 64 -> 128");
  EXPECT_TRUE(lines[2].starts_with("Sum::run(): ")) << lines[2];
  // A build of before parameters were told.
  ToySource same = plain_;
  same.folder = "now";
  const auto old =
      Comparison(then, program(same, fmt::format(R"({{"row": "{}", "work": "w3"}})", row)))
          .differences(row);
  ASSERT_EQ(old.size(), 1u) << joined(old);
  EXPECT_HAS(old[0], "no code, table or library differs, so a parameter or the input");
  // Equal digests: nothing is looked for.
  EXPECT_TRUE(Comparison(then, program(edited, said("w1", ""))).differences(row).empty());
}

TEST_F(ExplainRule, S05WhatRunReachesComesBeforeWhatPreparesIt) {
  const auto lines = differences(plain_.with("chunk(count / 2)", "chunk(count / 31 + count / 7)")
                                     .with("std::uint64_t i = 0;", "std::uint64_t i = 1;"));
  ASSERT_EQ(lines.size(), 2u) << joined(lines);
  EXPECT_TRUE(lines[0].starts_with("Sum::run(): ")) << lines[0];
  EXPECT_LACKS(lines[0], "not reached");
  EXPECT_TRUE(lines[1].starts_with("SumStage::prepare(Parameters const&) const: ")) << lines[1];
  EXPECT_HAS(lines[1], "(not reached from run() directly)");
}

TEST_F(ExplainRule, S05VirtualFunctionsAreReachedAndDestructorsAreNot) {
  ToySource first =
      plain_
          .with("struct Sum final", R"(
unsigned volatile gone;
struct Slice {
  virtual ~Slice() { gone = 3; }
  virtual std::uint64_t by(std::uint64_t x) { return x * 5; }
};
struct Sum final)")
          .with("state = 1, chunk;", "state = 1, chunk; std::unique_ptr<Slice> slice{new Slice};")
          .with("= step(state)", "= slice->by(state)");
  ToySource second = first.with("gone = 3", "gone = gone + 3").with("x * 5", "x * 7");
  first.folder = "first";
  second.folder = "second";
  const auto lines = Comparison(program(first), program(second)).differences(row);
  ASSERT_GE(lines.size(), 2u) << joined(lines);
  EXPECT_LACKS(lines[0], "~Slice()");
  EXPECT_LACKS(lines[0], "not reached");
  for (const std::string& line : lines)
    if (line.find("~Slice()") != std::string::npos) {
      EXPECT_HAS(line, "not reached");
    }
  EXPECT_HAS(joined(lines), "~Slice()");
}

TEST_F(ExplainRule, S06AnotherBuildOfALibraryIsNamed) {
  const fs::path library = scratch_.path() / "libtoy.so";
  ToySource source =
      plain_.with("namespace {\n", "extern \"C\" int of_the_library();\nnamespace {\n")
          .with("state = step(state)", "state += of_the_library()");
  std::vector<fs::path> programs;
  for (const char* body : {"{ return 1; }", "{ return 2; }"}) {
    source.folder = programs.empty() ? "one" : "two";
    const fs::path folder = scratch_.path() / source.folder;
    const auto objects = build(source);
    write_atomically(folder / "toy.c", std::string("int of_the_library(void) ") + body);
    run_process({"cc", "-shared", "-fPIC", "-Wl,--build-id=sha1", "-Wl,-soname,libtoy.so",
                 folder / "toy.c", "-o", folder / "libtoy.so"},
                60);
    programs.push_back(folder / "ratchet-bench");
    link(programs.back(), objects, "",
         fmt::format("-Wl,--no-as-needed -L{0} -ltoy -Wl,-rpath,{0}", folder.string()));
  }
  const auto lines = Comparison(programs[0], programs[1]).differences(row);
  ASSERT_EQ(lines.size(), 1u) << joined(lines);
  EXPECT_TRUE(lines[0].starts_with("the build of libtoy.so differs: ")) << lines[0];
}

TEST_F(ExplainRule, S07TheClockIsNamed) {
  ToySource source = plain_;
  source.clock = replaced(toy_clock, "timed_act(7)", "timed_act(8)");
  EXPECT_EQ(differences(source),
            std::vector<std::string>{"the timing function differs: another harness"});
}

TEST_F(ExplainRule, S08AGateRunShowsFiveLinesAtMost) {
  ToySource source = plain_;
  source.flags = "-O3 -mavx2 -funroll-loops";
  Comparison comparison(before(), now(source));
  const auto all = comparison.differences(row), shown = comparison.reasons(row);
  EXPECT_EQ(most_reasons, 5u);
  ASSERT_GT(all.size(), most_reasons);
  ASSERT_EQ(shown.size(), most_reasons);
  EXPECT_TRUE(std::equal(shown.begin(), shown.end() - 1, all.begin()));
  EXPECT_EQ(shown.back(),
            fmt::format("and {} more: `ratchet explain` shows all", all.size() - most_reasons + 1));
}

TEST_F(ExplainRule, S09WhatIsInTheWayIsSaidInALine) {
  const fs::path other = now(plain_);
  EXPECT_HAS(error_of([&] { Comparison(before(), other).differences("toy/cpu/02_none"); }),
             "ratchet-bench has no stage toy/cpu/02_none");
  EXPECT_HAS(joined(Comparison(before(), other).reasons("toy/cpu/02_none")),
             "the difference is unknown: ");
  const fs::path list = other.string() + ".objects";
  const std::string objects = read_text(list);
  fs::remove(list);
  EXPECT_HAS(error_of([&] { Comparison(before(), other).differences(row); }),
             "has no list of its object files (ratchet-bench.objects)");
  write_atomically(list, objects + (scratch_.path() / "gone.o").string() + "\n");
  EXPECT_HAS(error_of([&] { Comparison(before(), other).differences(row); }), "gone.o is missing");
  write_atomically(list, objects);
  const fs::path object = objects.substr(0, objects.find('\n'));
  fs::last_write_time(object, fs::last_write_time(other) + std::chrono::seconds(5));
  EXPECT_HAS(error_of([&] { Comparison(before(), other).differences(row); }), "is newer than");
  const std::string image = read_text(object);
  write_atomically(object, image.substr(0, image.size() / 2));
  fs::last_write_time(other, fs::last_write_time(object));
  EXPECT_HAS(error_of([&] { Comparison(before(), other).differences(row); }), object.string());
}

TEST_F(ExplainRule, S10WithoutObjdumpBytesAreLeft) {
  const fs::path other = now(plain_.with("toy::turned(x) + ", "toy::turned(x) / 3 + "));
  setenv("RATCHET_OBJDUMP", "/nonexistent/objdump", 1);
  Comparison comparison(before(), other);
  const auto lines = comparison.differences(row);
  ASSERT_EQ(lines.size(), 1u) << joined(lines);
  EXPECT_HAS(lines[0], "Sum::run(): 113 -> ");
  EXPECT_LACKS(lines[0], "instructions");
  try {
    comparison.listings(row);
    ADD_FAILURE() << "no complaint";
  } catch (const counters::NoMetrics& missing) {
    EXPECT_HAS(std::string(missing.what()), "RATCHET_OBJDUMP names /nonexistent/objdump");
  }
}

TEST_F(ExplainRule, S11ListingsAreComparedWithoutAddresses) {
  const std::string text = joined(
      Comparison(before(), now(plain_.with("= step(state)", "= step(state) ^ 5"))).listings(row));
  EXPECT_HAS(text, "--- before: Sum::run()\n+++ now: Sum::run()\n@@ ");
  EXPECT_HAS(text, "\n+xor $0x5,%rcx\n");
  EXPECT_LACKS(text, "0x0(%rip)");
  EXPECT_LACKS(text, "+j");  // an instruction more moves no jump
  EXPECT_TRUE(Comparison(before(), now(plain_)).listings(row).empty());
}

#ifdef RATCHET_NVCC
class ExplainKernels : public TwoBuilds {
 protected:
  fs::path program(const std::string& source, const std::string& folder) {
    const fs::path root = scratch_.path() / folder, objects = root / "x.dir" / "toy";
    fs::create_directories(objects);
    write_atomically(root / "cuda_01_sum.cu", source);
    compile_kernels(root / "cuda_01_sum.cu", objects / "cuda_01_sum.cu.o");
    link(root / "ratchet-bench", {objects / "cuda_01_sum.cu.o"}, "");
    return root / "ratchet-bench";
  }
  static bool has_tools() {
    try {
      counters::find_disassembler("cuobjdump");
      counters::find_disassembler("nvdisasm");
      return true;
    } catch (const counters::NoMetrics&) {
      return false;
    }
  }
};

TEST_F(ExplainKernels, S12AKernelIsNamedWithItsFigures) {
  const fs::path before = program(toy_kernels, "before");
  const fs::path now =
      program(replaced(toy_kernels, "to[threadIdx.x] += x;",
                       "__shared__ unsigned all[256]; all[threadIdx.x] = to[threadIdx.x]; "
                       "__syncthreads(); to[threadIdx.x] += x * all[255 - threadIdx.x];"),
              "now");
  if (has_tools()) {
    const auto lines = Comparison(before, now).differences("toy/cuda/01_sum");
    ASSERT_EQ(lines.size(), 1u) << joined(lines);
    EXPECT_TRUE(lines[0].starts_with("kernel add: instructions ")) << lines[0];
    EXPECT_HAS(lines[0], "shared 0 -> ");
    EXPECT_HAS(lines[0], "BAR +1");
    const std::string listing = joined(Comparison(before, now).listings("toy/cuda/01_sum"));
    EXPECT_HAS(listing, "--- before: kernel add\n+++ now: kernel add\n@@ ");
    EXPECT_HAS(listing, "\n+BAR.SYNC");
    EXPECT_LACKS(listing, "/*");
  }
  // Without the tools: which, and what brings them.
  setenv("XDG_CACHE_HOME", scratch_.path().c_str(), 1);
  if (has_tools()) GTEST_SKIP() << "the tools are installed where they are always found";
  const auto bare = Comparison(before, now).differences("toy/cuda/01_sum");
  ASSERT_EQ(bare.size(), 1u) << joined(bare);
  EXPECT_TRUE(bare[0].starts_with("kernel add: other machine code (no figures: ")) << bare[0];
}

TEST_F(ExplainKernels, S13AnotherLaunchShapeIsSeenInTheCodeThatLaunches) {
  const fs::path before = program(toy_kernels, "before");
  const auto grid =
      Comparison(before, program(replaced(toy_kernels, "<<<8, 256>>>", "<<<16, 256>>>"), "grid"))
          .differences("toy/cuda/01_sum");
  ASSERT_EQ(grid.size(), 1u) << joined(grid);
  EXPECT_HAS(grid[0], "Sum::run(), which launches add(");
  EXPECT_HAS(grid[0], "$0x100000008,%rdi` is now `movabs $0x100000010,");
  const auto shared =
      Comparison(before,
                 program(replaced(toy_kernels, "<<<8, 256>>>", "<<<8, 256, 4096>>>"), "shared"))
          .differences("toy/cuda/01_sum");
  ASSERT_EQ(shared.size(), 1u) << joined(shared);
  EXPECT_HAS(shared[0], "`mov $0x1000,");
  // Another kernel of the same form, launched alike, by code that differs in its name alone.
  const auto other =
      Comparison(before, program(replaced(toy_kernels, "add<<<", "take<<<"), "other"))
          .differences("toy/cuda/01_sum");
  ASSERT_FALSE(other.empty());
  EXPECT_HAS(joined(other), "take(");
}
#endif

}  // namespace

}  // namespace ratchet::explain

namespace ratchet {

// `ratchet explain` where it cannot explain: one line each, exit code 2.

namespace {

void expect_refused(const std::vector<std::string>& arguments, const std::string& why) {
  std::vector<std::string> command = {built_program("perf/ratchet"), "explain"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ProcessResult result = run_process(command, 60);
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
}

TEST(ExplainCommand, S09RefusesWhatItCannotExplain) {
  expect_refused({"graveler/cpu/99_none"}, "'graveler/cpu/99_none' selects no row; `");
  expect_refused({"graveler/cpu"}, " rows; name one, for instance graveler/cpu/01_");
  expect_refused({"graveler/cpu/01_naive_chacha12", "--base", "no-such-revision"},
                 "has no revision \"no-such-revision\"");
  expect_refused({"graveler/cpu/01_naive_chacha12", "--bench", "/nonexistent"},
                 "there is no benchmark program /nonexistent");
  expect_refused({}, "ROW is required");
}

}  // namespace

}  // namespace ratchet
