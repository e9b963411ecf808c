// StaticMetrics without a clock: what is read from NVIDIA's tools, and the rule of
// perf/identity/README.md, sentence by sentence.
#include "perf/identity/static_metrics/metrics.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/identity/code/cubin.h"
#include "perf/identity/code/disassembler.h"
#include "perf/measure/instructions/cpu_instructions.h"
#include "perf/measure/ranges/cupti_range.h"
#include "perf/support/files.h"

namespace ratchet::counters {
namespace {

std::string data(const std::string& name) {
  std::ifstream file(std::string(RATCHET_DATA_DIR "/perf/identity/static_metrics/data/") + name,
                     std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

TEST(ResourceUsage, FiguresBySourceArchitectureAndFunction) {
  const auto listings = parse_resource_usage(data("mix.res-usage.txt"), "the listing");
  ASSERT_EQ(listings.size(), 2u);  // that of the device linker, without functions, and ours
  EXPECT_TRUE(listings[0].functions.empty());
  EXPECT_EQ(listings[1].source, "kernels/demo/cuda_01_mix.cu");
  EXPECT_EQ(listings[1].arch, "sm_90");
  ASSERT_EQ(listings[1].functions.size(), 1u);
  const auto& [symbol, kernel] = *listings[1].functions.begin();
  EXPECT_EQ(readable_kernel(symbol), "mix<Rounds>");
  EXPECT_EQ(kernel.registers, 94);
  EXPECT_EQ(kernel.stack, 0);
  EXPECT_EQ(kernel.shared, 1152);
  EXPECT_EQ(kernel.constant, 536);
}

TEST(ResourceUsage, MalformedTextIsNamedByLine) {
  const std::string head = "Fatbin elf code:\narch = sm_90\n";
  const auto error = [&](const std::string& text) {
    return error_of([&] { parse_resource_usage(head + text, "listing"); });
  };
  EXPECT_HAS(error(" Function f:\n  nothing here\n"), "listing, line 4");
  EXPECT_HAS(error(" Function f:\n  REG:x STACK:0 SHARED:0\n"), "line 4");
  EXPECT_HAS(error(" Function f:\n  REG:-4 STACK:0 SHARED:0\n"), "line 4");
  EXPECT_HAS(error(" Function f\n"), "line 3");
  EXPECT_HAS(error(" Function f:\n"), "ends within a function");
  EXPECT_EQ(error(""), "no error");
}

TEST(Disassembly, CountsByOpcodeWithoutPadding) {
  std::string toolchain;
  const auto functions = parse_disassembly(data("mix.nvdisasm.json"), "listing", toolchain);
  ASSERT_EQ(functions.size(), 1u);
  const KernelCode& kernel = functions.begin()->second;
  EXPECT_EQ(kernel.mix.at("LDG"), 48);  // 48 words in and out: the kernel's text says so
  EXPECT_EQ(kernel.mix.at("STG"), 48);
  EXPECT_EQ(kernel.mix.at("BAR"), 1);
  EXPECT_FALSE(kernel.mix.contains("NOP"));
  EXPECT_EQ(kernel.spills(), 0);
  int sum = 0;
  for (const auto& [opcode, count] : kernel.mix) sum += count;
  EXPECT_EQ(kernel.instructions, sum);
  EXPECT_EQ(toolchain, "release 13.0, V13.0.88 -arch sm_90 -m 64");
}

TEST(Disassembly, OtherTextIsRefused) {
  std::string toolchain;
  for (const char* text : {"", "[", "{}", "[]", "[{}]", "[{}, [{\"start\": 0}]]",
                           R"([{}, [{"function-name": "f", "sass-instructions": [{}]}]])"})
    EXPECT_NE(error_of([&] { parse_disassembly(text, "listing", toolchain); }).find("listing"),
              std::string::npos)
        << text;
}

TEST(Cubin, FunctionsAndTables) {
  const Cubin cubin = parse_cubin(data("mix.sm_90.cubin"), "cubin");
  ASSERT_EQ(cubin.functions.size(), 1u);
  EXPECT_EQ(readable_kernel(cubin.functions[0].symbol), "mix<Rounds>");
  EXPECT_HAS(cubin.tables, std::string("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0", 16));
}

TEST(Cubin, OneBitOfTheCodeChangesTheCodeAndNothingElseDoes) {
  std::string image = data("mix.sm_90.cubin");
  const std::string before = parse_cubin(image, "cubin").functions.at(0).code;
  const std::string instruction = before.substr(before.find(".text.") + 32, 64);
  const std::size_t at = image.find(instruction);
  ASSERT_NE(at, std::string::npos);
  image[at] ^= 1;
  EXPECT_NE(parse_cubin(image, "cubin").functions.at(0).code, before);
  image[at] ^= 1;
  for (std::size_t i = 0; i < 7; ++i) image[EI_PAD + i] ^= 1;
  EXPECT_EQ(parse_cubin(image, "cubin").functions.at(0).code, before);
}

TEST(Cubin, EveryTruncationIsAnErrorAndNoCrash) {
  const std::string image = data("mix.sm_90.cubin");
  for (std::size_t size = 0; size < image.size(); size += 97)
    EXPECT_NE(error_of([&] { parse_cubin(image.substr(0, size), "cubin"); }), "no error") << size;
  EXPECT_NE(error_of([] { parse_cubin("#!/bin/sh\n" + std::string(100, ' '), "script"); }),
            "no error");
}

TEST(Names, StagesAndSharedFilesBySource) {
  EXPECT_EQ(stage_of_source("../kernels/graveler/cuda_02p_as_printed.cu"),
            "graveler/cuda/02p_as_printed");
  EXPECT_EQ(stage_of_source("/a/kernels/b/kernels/life/hybrid_10_both.cu"), "life/hybrid/10_both");
  EXPECT_EQ(stage_of_source("kernels/life/tables.cu"), "");
  EXPECT_EQ(stage_of_source("life/cuda_01_naive.cu"), "");
  EXPECT_EQ(stage_of_source(""), "");
  EXPECT_EQ(stage_of_source("kernels/life/strided/cuda_01_naive.cu"), "")
      << "a folder's, not a stage";
  EXPECT_EQ(shared_by("../kernels/life/tables.cu"), "life");
  EXPECT_EQ(shared_by("/a/kernels/b/kernels/life/strided/cuda_01_naive.cu"), "life");
  EXPECT_EQ(shared_by("../kernels/life/dense/deeper/cuda_dense.cu"), "life");
  EXPECT_EQ(shared_by("../kernels/support/scan.cu"), "support");
  EXPECT_EQ(shared_by("../kernels/life/cuda_01_naive.cu"), "");
  EXPECT_EQ(shared_by("../kernels/stage.cu"), "");
  EXPECT_EQ(shared_by("../perf/measure/peaks/cuda_memory.cu"), "");
}

TEST(Names, KernelsAreReadableAndWithoutTheHashOfTheFolder) {
  const char* of_one_build =
      "_ZN7ratchet8graveler8simulateINS0_57_GLOBAL__N__e714de33_18_cuda_01_xoshiro_cu_2ad1c013_"
      "144527XoshiroENS3_5WordsENS0_7MaxSinkEEEvNS0_3JobENT1_6TargetE";
  EXPECT_EQ(readable_kernel(of_one_build), "simulate<Xoshiro, Xoshiro::Words, MaxSink>");
  EXPECT_EQ(readable_kernel("_Z5plainPf"), "plain");
  EXPECT_EQ(readable_kernel("extern_c"), "extern_c");
}

TEST(Identical, OnlyCudaStagesOfEqualHash) {
  const std::map<std::string, std::string> a = {
      {"f/cuda/01_a", "1"}, {"f/cuda/02_b", "2"}, {"f/hybrid/03_c", "3"}, {"f/cuda/04_d", "4"}};
  const std::map<std::string, std::string> b = {
      {"f/cuda/01_a", "1"}, {"f/cuda/02_b", "x"}, {"f/hybrid/03_c", "3"}};
  EXPECT_EQ(identical_code(a, b), std::set<std::string>{"f/cuda/01_a"});
}

Item kernel(double registers, double instructions, const std::string& hash = "a") {
  return {{{"registers", registers}, {"instructions", instructions}, {"stack", 0}}, {}, hash};
}

TEST(MetricsRule, S02AnyFigureLargerIsWorseThoughOthersAreSmaller) {
  for (const char* figure :
       {"registers", "stack", "shared", "local_loads", "local_stores", "instructions"}) {
    Item stored = kernel(32, 100), here = kernel(31, 99, "b");
    stored.figures[figure] = 200;
    here.figures[figure] = 201;
    EXPECT_EQ(compare_item(stored, here).change, Change::worse) << figure;
    EXPECT_HAS(compare_item(stored, here).detail, std::string(figure) + " 200 -> 201");
  }
}

TEST(MetricsRule, S03NoneLargerAndOneSmallerIsBetter) {
  EXPECT_EQ(compare_item(kernel(32, 100), kernel(31, 100, "b")).change, Change::better);
}

TEST(MetricsRule, S04EqualFiguresAndOtherCodeIsChangedAndNamed) {
  EXPECT_EQ(compare_item(kernel(32, 100), kernel(32, 100, "b")).change, Change::changed);
  Item stored = kernel(32, 100), here = kernel(32, 100, "b");
  stored.mix = {{"LOP3", 60}, {"POPC", 40}};
  here.mix = {{"LOP3", 61}, {"IADD3", 39}};
  EXPECT_EQ(compare_item(stored, here).detail, "IADD3 +39, LOP3 +1, POPC -40");
}

TEST(MetricsRule, S05EverythingEqualIsSame) {
  EXPECT_EQ(compare_item(kernel(32, 100), kernel(32, 100)).change, Change::same);
}

TEST(MetricsRule, S06ExecutedInstructionsMayGrowByAThousandth) {
  const auto executed = [](double count) {
    return Item{{{"executed_instructions", count}}, {}, ""};
  };
  EXPECT_EQ(compare_item(executed(1e6), executed(1'001'000)).change, Change::same);
  EXPECT_EQ(compare_item(executed(1e6), executed(1'001'001)).change, Change::worse);
  EXPECT_EQ(compare_item(executed(1e6), executed(998'999)).change, Change::better);
}

TEST(MetricsRule, S07PercentagesOnlyInform) {
  const auto use = [](double percent) { return Item{{{"alu_percent", percent}}, {}, ""}; };
  EXPECT_EQ(compare_item(use(50), use(90)).change, Change::same);
}

StaticMetrics metrics(const std::vector<std::string>& kernels) {
  StaticMetrics result{{{"kind", "device code"}, {"arch", "sm_90"}}, {}};
  for (const std::string& name : kernels) result.stages["f/cuda/01_a"][name] = kernel(32, 100);
  return result;
}

TEST(MetricsRule, S08S09NewGoneAndUncomparedItemsAreSaid) {
  const StaticMetrics stored = metrics({"k", "old"});
  const auto findings = compare(&stored, metrics({"k", "young"}));
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].change, Change::same);
  EXPECT_EQ(findings[1].change, Change::added);
  EXPECT_EQ(findings[1].item, "young");
  EXPECT_EQ(findings[2].change, Change::gone);
  EXPECT_EQ(findings[2].item, "old");
  EXPECT_EQ(compare(nullptr, stored)[0].change, Change::uncompared);
}

TEST(MetricsRule, S09AStageThatWasNotCountedIsNotGone) {
  const StaticMetrics stored = metrics({"k"});
  StaticMetrics here = metrics({});
  EXPECT_EQ(compare(&stored, here).at(0).change, Change::gone);
  here.not_counted = {"f/cuda/01_a"};
  const auto findings = compare(&stored, here);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].change, Change::not_counted);
  EXPECT_EQ(findings[0].here, kernel(32, 100));
}

TEST(MetricsRule, S10ExitCodes) {
  const auto code = [](std::vector<Change> changes, bool strict = false) {
    std::vector<Finding> findings;
    for (const Change change : changes) findings.push_back({"s", "k", change, "", {}});
    return exit_code(findings, strict);
  };
  EXPECT_EQ(code({}), ExitCode::nothing_ran);
  EXPECT_EQ(code({Change::same, Change::better, Change::changed}, true), ExitCode::pass);
  EXPECT_EQ(code({Change::gone, Change::worse, Change::added}, true), ExitCode::regression);
  EXPECT_EQ(code({Change::gone, Change::added}, true), ExitCode::failed);
  EXPECT_EQ(code({Change::not_counted, Change::worse}), ExitCode::regression);
  EXPECT_EQ(code({Change::not_counted, Change::same}), ExitCode::failed);
  EXPECT_EQ(code({Change::added}), ExitCode::pass);
  EXPECT_EQ(code({Change::added}, true), ExitCode::undecided);
  EXPECT_EQ(code({Change::uncompared}), ExitCode::pass);
  EXPECT_EQ(code({Change::uncompared}, true), ExitCode::undecided);
}

TEST(MetricsRule, AcceptingAStageLeavesTheOthersOfItsFamily) {
  const ScratchFolder folder;
  const std::map<std::string, std::string> basis = {{"kind", "device code"}, {"arch", "sm_90"}};
  for (const char* stage : {"demo/cuda/01_a", "demo/cuda/02_b"}) {
    StaticMetrics metrics{basis, {}};
    metrics.stages[stage]["kernel"].figures["registers"] = 32;
    metrics.revisions[stage] = "0123456789ab";
    MetricsStore(folder.path()).accept(metrics, {}, "a test");
  }
  const auto stored = MetricsStore(folder.path()).find(basis);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->stages.size(), 2u);
}

TEST(MetricsRule, S10ACountThatFailedIsNotAccepted) {
  StaticMetrics lacking = metrics({"k"});
  lacking.not_counted = {"f/cuda/02_b"};  // as where it needs what this machine has not
  EXPECT_EQ(accepted_exit_code({metrics({"k"}), lacking}), ExitCode::pass);
  lacking.broken = lacking.not_counted;
  EXPECT_EQ(accepted_exit_code({metrics({"k"}), lacking}), ExitCode::failed);
  EXPECT_EQ(accepted_exit_code({}), ExitCode::nothing_ran);
}

TEST(Counters, FirstSupportedMetricOfEachFigure) {
  const auto chosen = choose_metrics({{"a", {"x", "y"}}, {"b", {"z"}}, {"c", {"w"}}},
                                     [](const std::string& name) { return name > "w"; });
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0].figure + chosen[0].metric, "ax");
  EXPECT_EQ(chosen[1].figure + chosen[1].metric, "bz");
  const Item item = counted_item(chosen, {std::numeric_limits<double>::quiet_NaN(), 2});
  EXPECT_EQ(item.figures, (std::map<std::string, double>{{"b", 2}}));
}

TEST(Callgrind, TotalOfTheFile) {
  EXPECT_EQ(callgrind_total("# callgrind format\nevents: Ir\n\nfn=f\n1 2\ntotals: 73413048\n", "x"),
            73413048);
  EXPECT_HAS(error_of([] { callgrind_total("events: Ir\ntotals: 0\n", "the file"); }), "the file");
  EXPECT_NE(error_of([] { callgrind_total("", "the file"); }), "no error");
}

}  // namespace
}  // namespace ratchet::counters
