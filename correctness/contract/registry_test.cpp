// The stage contract: numbers as text, parameters, the registry's look-ups and its rules.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "correctness/support/error_of.h"
#include "kernels/contract/check.h"
#include "kernels/contract/kernel.h"
#include "kernels/contract/row_filter.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

void expect_parts(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(message.find(part), message.npos) << "'" << part << "' not in: " << message;
  EXPECT_EQ(message.find('\n'), message.npos) << message;
}

TEST(ParseUnsigned, ReadsDigitsExponentsAndPowers) {
  EXPECT_EQ(parse_unsigned("0", "x"), 0u);
  EXPECT_EQ(parse_unsigned("1000000", "x"), 1'000'000u);
  EXPECT_EQ(parse_unsigned("1e9", "x"), 1'000'000'000u);
  EXPECT_EQ(parse_unsigned("25E2", "x"), 2500u);
  EXPECT_EQ(parse_unsigned("2^20", "x"), 1u << 20);
  EXPECT_EQ(parse_unsigned("2^0", "x"), 1u);
  EXPECT_EQ(parse_unsigned("2^63", "x"), std::uint64_t{1} << 63);
  EXPECT_EQ(parse_unsigned("18446744073709551615", "x"), kMax);
  EXPECT_EQ(parse_unsigned("1e19", "x"), 10'000'000'000'000'000'000u);
}

TEST(ParseUnsigned, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "-1",
                           "+1",
                           "1.5",
                           "1.5e3",
                           "1e",
                           "e5",
                           "1e-2",
                           "1e+2",
                           "1 000",
                           "1000 ",
                           " 1000",
                           "0x10",
                           "abc",
                           "1k",
                           "3^4",
                           "2^",
                           "2^64",
                           "2^-1",
                           "^5",
                           "18446744073709551616",
                           "2e19",
                           "1e20",
                           "1e99999999999999999999",
                           "1e1e1",
                           "nan",
                           "inf",
                           "1,000",
                           "1'000",
                           "2^2^2"})
    expect_parts(error_of([&] { parse_unsigned(text, "the size"); }), {"the size", text});
}

Parameters sample() {
  return Parameters("family/cpu/01_x",
                    {{"battles", 10, 1, 100, "how many"}, {"seed", 0, 0, kMax, "s"}});
}

TEST(ParametersOfAStage, AreSetWithinTheirRange) {
  Parameters parameters = sample();
  EXPECT_EQ(parameters.at("battles"), 10u);
  EXPECT_TRUE(parameters.has("seed"));
  EXPECT_FALSE(parameters.has("seeds"));
  parameters.set("battles", 100).set("seed", "2^40");
  EXPECT_EQ(parameters.at("battles"), 100u);
  EXPECT_EQ(parameters.at("seed"), std::uint64_t{1} << 40);
  parameters.set(ParameterPoint{{"battles", 1}, {"seed", kMax}});
  EXPECT_EQ(parameters.at("battles"), 1u);
  EXPECT_EQ(parameters.at("seed"), kMax);
}

TEST(ParametersOfAStage, NameStageParameterValueAndRangeWhenRefused) {
  Parameters parameters = sample();
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{101}, kMax})
    expect_parts(error_of([&] { parameters.set("battles", value); }),
                 {"family/cpu/01_x", "battles", std::to_string(value).c_str(), "1 to 100"});
  expect_parts(error_of([&] { parameters.set("battle", 5); }),
               {"family/cpu/01_x", "'battle'", "battles", "seed"});
  expect_parts(error_of([&] { parameters.set("seed", "-3"); }),
               {"family/cpu/01_x", "seed", "'-3'"});
  EXPECT_EQ(parameters.at("battles"), 10u) << "a refused value must change nothing";
  EXPECT_THROW(parameters.at("nonsense"), std::logic_error);
}

TEST(Registry, IsSortedUniqueAndComplete) {
  ASSERT_FALSE(registry().empty());
  for (std::size_t i = 0; i < registry().size(); ++i) {
    const Stage* stage = registry()[i];
    if (i > 0) {
      EXPECT_LT(registry()[i - 1]->info().name, stage->info().name);
    }
    EXPECT_EQ(find_stage(stage->info().name), stage);
    EXPECT_EQ(match_stages(stage->info().name), std::vector<const Stage*>{stage});
    EXPECT_FALSE(stage->info().summary.empty());
    for (const Parameter& parameter : stage->info().parameters) {
      EXPECT_LE(parameter.min, parameter.value) << stage->info().name << " " << parameter.name;
      EXPECT_GE(parameter.max, parameter.value) << stage->info().name << " " << parameter.name;
      EXPECT_FALSE(parameter.help.empty()) << stage->info().name << " " << parameter.name;
    }
    for (const auto* points : {&stage->info().sweep, &stage->info().survey})
      for (const ParameterPoint& point : *points)
        EXPECT_NO_THROW(stage->defaults().set(point)) << stage->info().name;
    const Availability available = stage->availability();
    EXPECT_EQ(available.ok, available.reason.empty()) << stage->info().name << available.reason;
  }
  EXPECT_EQ(find_stage(registry().front()->info().family()), nullptr);
  EXPECT_EQ(find_stage(""), nullptr);
}

/// kernels/life/cuda_04b_shared_sums.cu of "life/cuda/04b_shared_sums".
fs::path source_of(const std::string& stage) {
  const std::string family = family_of(stage);
  std::string file = stage.substr(family.size() + 1);
  file.replace(file.find('/'), 1, "_");
  const fs::path path = fs::path(RATCHET_SOURCE_DIR) / "kernels" / family / file;
  return fs::exists(path.string() + ".cu") ? path.string() + ".cu" : path.string() + ".cpp";
}

/// The name comes from the file's; the head repeats it to the reader.
TEST(Registry, EachStageIsNamedAsItsFileAndItsHead) {
  for (const Stage* stage : registry()) {
    const std::string& name = stage->info().name;
    EXPECT_EQ(read_text(source_of(name)).find("// " + name + "\n"), 0u) << source_of(name);
  }
}

TEST(Registry, LettersBehindANumberStandInTheTable) {
  const std::string page = read_text(fs::path(RATCHET_SOURCE_DIR) / "kernels" / "README.md");
  std::size_t lettered = 0;
  for (const Stage* stage : registry()) {
    const std::string& name = stage->info().name;
    const std::size_t letter = name.rfind('/') + 3;
    if (name.at(letter) == '_') continue;
    ++lettered;
    EXPECT_NE(page.find("`" + name + "`"), page.npos) << name;
    EXPECT_NE(page.find(std::string("\n| `") + name[letter] + "` |"), page.npos) << name;
  }
  EXPECT_GT(lettered, 0u);
}

TEST(Registry, MatchesWholeNamesBeforeExpressions) {
  EXPECT_EQ(match_stages("").size(), registry().size());
  const StageInfo& first = registry().front()->info();
  for (const Stage* stage : match_stages("^" + first.family() + "/cpu/")) {
    EXPECT_EQ(stage->info().family(), first.family());
    EXPECT_EQ(stage->info().backend, Backend::cpu);
  }
}

TEST(Registry, ExplainsWhatDoesNotMatch) {
  const StageInfo& first = registry().front()->info();
  const std::string family = first.family(), stage = family + "/cpu/99_nothing";
  expect_parts(error_of([&] { match_stages(stage); }),
               {stage.c_str(), "the family has", first.name.c_str()});
  expect_parts(error_of([] { match_stages("nobody"); }),
               {"nobody", "families are", family.c_str()});
  expect_parts(error_of([&] { match_stages(family + "/("); }), {"regular expression"});
}

TEST(Backends, HaveNames) {
  EXPECT_EQ(to_string(Backend::cpu), "cpu");
  EXPECT_EQ(to_string(Backend::cuda), "cuda");
  EXPECT_EQ(to_string(Backend::opencl), "opencl");
  EXPECT_EQ(to_string(Backend::hybrid), "hybrid");
  EXPECT_EQ(to_string(Backend::mpi), "mpi");
  EXPECT_EQ(backend_of("a/mpi/01_x"), Backend::mpi);
  EXPECT_EQ(backend_of("a/cuda/01_mpi/ranks:2"), Backend::cuda);
}

class OtherStage : public Stage {
 public:
  using Stage::Stage;
  std::unique_ptr<Instance> prepare(const Parameters&) const override { return nullptr; }
};

std::unique_ptr<Stage> other_stage(const std::string& name, Backend backend = Backend::cpu,
                                   const char* summary = "s", const char* unit = "things") {
  return std::make_unique<OtherStage>(StageInfo{
      .name = name, .backend = backend, .summary = summary, .source = "ratchet", .unit = unit});
}

using RegistrationDeathTest = testing::Test;

TEST(RegistrationDeathTest, RefusesMalformedNames) {
  for (const char* name : {"", "demo", "demo/cpu", "demo/cpu/naive", "demo/cpu/1_naive",
                           "demo/gpu/01_naive", "Demo/cpu/01_naive", "demo/cuda/01_naive",
                           "a/b/cpu/01_naive", "demo/cpu/01_na ive", "demo/cpu/01_naive/"})
    EXPECT_DEATH(Registration{other_stage(name)}, "cannot be registered: the name must read")
        << name;
}

TEST(RegistrationDeathTest, RefusesNamesTakenAndGaps) {
  const std::string taken = registry().front()->info().name;
  EXPECT_DEATH(Registration{other_stage(taken, registry().front()->info().backend)},
               taken + ".*the name is taken");
  EXPECT_DEATH(Registration{other_stage("other/cpu/01_x", Backend::cpu, "")}, "must be given");
  EXPECT_DEATH(Registration{other_stage("other/cpu/01_x", Backend::cpu, "s", "")}, "must be given");
}

TEST(RegistrationDeathTest, RefusesFactsThatNameNoParameter) {
  const auto refused = [](StageInfo facts) {
    facts.name = "other/cpu/01_x";
    facts.summary = facts.unit = facts.source = "s";
    facts.parameters = {{"cells", 4, 1, 9, "c"}, {"workers", 2, 1, 8, "w"}};
    Registration{std::make_unique<OtherStage>(std::move(facts))};
  };
  const std::string who = "stage 'other/cpu/01_x' cannot be registered: ";
  EXPECT_DEATH(refused({.size = "cell"}), who + "size names 'cell', which is not one of its");
  EXPECT_DEATH(refused({.threads = "threads"}), who + "threads names 'threads', which is not one");
  EXPECT_DEATH(refused({.sanitizer_run = {{"rows", 1}}}), who + ".*no parameter 'rows'");
  EXPECT_DEATH(refused({.sweep = {{{"workers", 9}}}}), who + ".*workers = 9 is out of range");
  EXPECT_DEATH(refused({.survey = {{{"cells", 0}}}}), who + ".*cells = 0 is out of range");
  EXPECT_EXIT(
      {
        refused({.size = "cells", .threads = "workers", .sanitizer_run = {{"cells", 1}}});
        std::exit(find_stage("other/cpu/01_x")->sanitizer_run().at("cells") == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(StageFacts, NameTheirParametersAndBackend) {
  const Parameters at("a", {{"workers", 3, 1, 8, "w"}});
  EXPECT_EQ(threads_of({.threads = "workers"}, at), 3u);
  EXPECT_EQ(threads_of({}, at), 1u);
  for (const Stage* stage : registry()) {
    EXPECT_EQ(backend_of(stage->info().name), stage->info().backend) << stage->info().name;
    EXPECT_FALSE(stage->info().size.empty()) << stage->info().name;
    EXPECT_FALSE(stage->info().sanitizer_run.empty()) << stage->info().name;
    const bool threaded = stage->info().threaded();
    EXPECT_TRUE(!threaded || stage->info().backend == Backend::cpu) << stage->info().name;
  }
}

TEST(Grid, TakesEveryChoice) {
  EXPECT_EQ(
      grid({{"a", {1, 2}}, {"b", {3, 4}}}),
      (std::vector<ParameterPoint>{
          {{"a", 1}, {"b", 3}}, {{"a", 1}, {"b", 4}}, {{"a", 2}, {"b", 3}}, {{"a", 2}, {"b", 4}}}));
  EXPECT_EQ(grid({}), std::vector<ParameterPoint>{{}});
}

TEST(QuickCheck, WithoutACheckForTheFamilyIsAFailure) {
  const CheckResult result = quick_check(*other_stage("nobody/cpu/01_x"));
  EXPECT_FALSE(result.passed);
  expect_parts(result.detail, {"nobody", "no check"});
}

TEST(QuickCheck, OfAStageOfTheWrongTypeIsAFailure) {
  for (const Stage* stage : registry())
    EXPECT_FALSE(quick_check(*other_stage(stage->info().family() + "/cpu/98_x")).passed);
}

using Numbers = std::vector<double>;

Numbers numbers(std::uint64_t count) {
  Numbers made;
  for (std::uint64_t i = 0; i < count; ++i) made.push_back(static_cast<double>(i % 7));
  return made;
}
double sum(const Numbers& in) { return std::accumulate(in.begin(), in.end(), 0.0); }
double sum_without_a_tail(const Numbers& in) {
  const auto whole = static_cast<std::ptrdiff_t>(in.size() / 4 * 4);
  return std::accumulate(in.begin(), in.begin() + whole, 0.0);
}
double nearly_the_sum(const Numbers& in) { return sum(in) * (1 + 1e-9); }
double sum_of_every_first_run(const Numbers& in) {
  static int runs = 0;
  return runs++ % 2 == 0 ? sum(in) : 0;
}
Numbers doubled(const Numbers& in) {
  Numbers out;
  for (const double each : in) out.push_back(2 * each);
  return out;
}
void doubled_in_place(const Numbers& in, Numbers& out) {
  out.resize(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
}
void all_but_the_last_doubled(const Numbers& in, Numbers& out) {
  doubled_in_place(in, out);
  out.back() = in.back();
}

template <auto function, class Reference>
CheckResult check_of(Reference reference, double tolerance = 0) {
  return kernel<function>("demo/cpu/01_a")
      .inputs("numbers", 1 << 13, numbers)
      .reference(reference, tolerance)
      .stage()
      ->check();
}

TEST(Kernel, IsHeldAgainstItsReference) {
  EXPECT_TRUE(check_of<sum>(sum).passed);
  EXPECT_EQ(check_of<sum_without_a_tail>(sum).detail, "2 numbers: expected 1, found 0");
  EXPECT_FALSE(check_of<nearly_the_sum>(sum).passed);
  EXPECT_TRUE(check_of<nearly_the_sum>(sum, 1e-8).passed);
  EXPECT_EQ(check_of<sum_of_every_first_run>(sum).detail,
            "2 numbers in the second run: expected 1, found 0");
  EXPECT_TRUE(check_of<doubled_in_place>(doubled).passed);
  EXPECT_EQ(check_of<all_but_the_last_doubled>(doubled).detail,
            "2 numbers: [1] expected 2, found 1");
}

TEST(Kernel, IsCheckedInSituByTheInstanceThatWasTimed) {
  const auto state = [](const auto& stage) {
    const Parameters parameters = stage->defaults();
    const auto instance = stage->prepare(parameters);
    instance->run();
    EXPECT_EQ(instance->units(), std::uint64_t{1} << 13);
    return stage->check(TimedRow{*stage, parameters, *instance}).state;
  };
  const auto made = [](auto builder) {
    return builder.inputs("numbers", (1 << 13), numbers).reference(sum).stage();
  };
  EXPECT_EQ(state(made(kernel<sum>("demo/cpu/01_a"))), InSituState::right);
  EXPECT_EQ(state(made(kernel<nearly_the_sum>("demo/cpu/01_a"))), InSituState::wrong);
}

TEST(Kernel, WithoutAReferenceEndsTheProgram) {
  EXPECT_DEATH(kernel<sum>("demo/cpu/01_a").inputs("numbers", 8, numbers).stage(),
               "demo/cpu/01_a has no .inputs");
}

}  // namespace
}  // namespace ratchet
