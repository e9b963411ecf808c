// Digests of rows that are virtual functions of a class, and which function of a program is a
// row's.
#include <gtest/gtest.h>

#include "correctness/perf/identity/digests/compiled_rows.h"

namespace ratchet::counters {
namespace {

class ClassRows : public CompiledRows {};

/// Rows that are virtual functions, as of fixtures and of lambdas with captures: each a file, and
/// what registers it.
const RowSources classes = {{"state.h", R"(
namespace benchmark {
struct State { int n; };
struct Benchmark {
  virtual ~Benchmark() = default;
  virtual void Run(State&) = 0;
};
struct Fixture : Benchmark {
  void Run(State& s) override { SetUp(s); BenchmarkCase(s); TearDown(s); }
  virtual void SetUp(const State&) {}
  virtual void TearDown(const State&) {}
  virtual void BenchmarkCase(State&) = 0;
};
namespace internal { Benchmark* RegisterBenchmarkInternal(Benchmark*); }
}
)"},
                            {"lib.h", R"(
using benchmark::internal::RegisterBenchmarkInternal;
struct Words : benchmark::Fixture {
  explicit Words(int n) : size(n) {}
  void SetUp(const benchmark::State&) override { for (int& each : words) each = start() + size; }
  virtual int start() const { return 20; }
  int words[40] = {}, size;
};
struct Spare : Words {  // else compilers guess which class a file's Run() is of
  using Words::Words;
  void BenchmarkCase(benchmark::State& s) override;
};
)"},
                            {"own.cpp", R"(
#include "state.h"
#include "lib.h"
struct Own : Words {
  using Words::Words;
  void BenchmarkCase(benchmark::State& s) override { for (int w : words) s.n = s.n * 5 + w; }
  void TearDown(const benchmark::State&) override { words[0] = 41; }
};
Own* the_own = new Own(3);
benchmark::Benchmark* own = RegisterBenchmarkInternal(the_own);
)"},
                            {"other.cpp", R"(
#include "state.h"
#include "lib.h"
struct Other : Words {
  using Words::Words;
  void BenchmarkCase(benchmark::State& s) override { for (int w : words) s.n = s.n * 7 + w; }
};
benchmark::Benchmark* other = RegisterBenchmarkInternal(new Other(4));
)"},
                            {"lambda.cpp", R"(
#include "state.h"
#include "lib.h"
namespace benchmark {
template <class F> struct Lambda : Benchmark {  // whose symbols name State within its namespace
  explicit Lambda(F given) : f(given) {}
  void Run(State& s) override { f(s); }
  F f;
};
template <class F> Benchmark* made(F f) { return new Lambda<F>(f); }
}
struct Early {
  int size;
  void operator()(benchmark::State& s) const { s.n *= size; }
};
benchmark::Benchmark* early = RegisterBenchmarkInternal(benchmark::made(Early{13}));
void lambda(int count) {
  const int captured = 31;
  RegisterBenchmarkInternal(
      benchmark::made([captured, count](benchmark::State& s) { s.n += captured * 3 + count; }));
}
)"},
                            {"main.cpp", R"(
#include "state.h"
#include "lib.h"
void lambda(int count);
benchmark::Benchmark* list[4];
int registered = 0;
benchmark::Benchmark* benchmark::internal::RegisterBenchmarkInternal(Benchmark* given) {
  return list[registered++] = given;
}
void Spare::BenchmarkCase(benchmark::State&) {}
int main(int count, char**) {
  lambda(count);
  benchmark::State s{count};
  list[count % 4]->Run(s);
  return s.n;
}
)"}};

TEST_P(ClassRows, AFixtureOrALambdaCountsWithWhatMakesIt) {
  functions_ = {{"own", {"_ZN3Own13BenchmarkCaseERN9benchmark5StateE"}},
                {"other", {"_ZN5Other13BenchmarkCaseERN9benchmark5StateE"}},
                {"early", {"_ZN9benchmark6LambdaI5EarlyE3RunERNS_5StateE"}},
                {"lambda",
                 {"_ZN9benchmark6LambdaIZ6lambdaiEUlRNS_5StateEE_E3RunES2_",
                  "_ZN9benchmark6LambdaIZ6lambdaiE3$_0E3RunERNS_5StateE"}}};
  const std::set<std::string> all = {"own", "other", "lambda", "early"};
  const RowDigests before = digests(classes);
  ASSERT_TRUE(before.unknown.empty()) << before.unknown.begin()->second;
  const auto expect_moved = [&](const RowEdit& edit, const std::set<std::string>& moved) {
    RowSources sources = classes;
    std::string& text = sources[edit.file];
    const std::size_t at = text.find(edit.from);
    ASSERT_NE(at, std::string::npos) << edit.from;
    text.replace(at, std::string_view(edit.from).size(), edit.to);
    const RowDigests now = digests(sources);
    ASSERT_TRUE(now.unknown.empty()) << edit.to << ": " << now.unknown.begin()->second;
    for (const std::string& row : all)
      EXPECT_EQ(now.digests.at(row) != before.digests.at(row), moved.contains(row))
          << row << " after " << edit.to;
  };
  const std::set<std::string> own = {"own"}, fixtures = {"own", "other"};
  expect_moved({"own.cpp", "s.n * 5", "s.n * 6"}, own);
  expect_moved({"own.cpp", "words[0] = 41", "words[0] = 42"}, own);
  expect_moved({"own.cpp", "new Own(3)", "new Own(5)"}, own);
  expect_moved(
      {"own.cpp", "void TearDown", "int start() const override { return 9; }\nvoid TearDown"}, own);
  expect_moved({"other.cpp", "s.n * 7", "s.n * 9"}, {"other"});
  expect_moved({"other.cpp", "new Other(4)", "new Other(6)"}, {"other"});
  expect_moved({"lib.h", "return 20", "return 21"}, fixtures);
  expect_moved({"lib.h", "words[40] = {}", "words[44] = {}"}, fixtures);
  expect_moved({"lib.h", "start() + size", "start() - size"}, fixtures);
  expect_moved({"lambda.cpp", "captured = 31", "captured = 33"}, all);  // main() runs for each row
  expect_moved({"state.h", "SetUp(s); BenchmarkCase(s)", "SetUp(s); SetUp(s); BenchmarkCase(s)"},
               fixtures);
  expect_moved({"lambda.cpp", "Early{13}", "Early{15}"}, {"early"});
  // Changed after it was made, by another file; and what is not changed stays.
  expect_moved({"later.cpp", "",
                "#include \"state.h\"\n#include \"lib.h\"\nstruct Own : Words {};\n"
                "extern Own* the_own;\n"
                "struct Later { Later() { the_own->size = 6; } } later;\n"},
               own);
  expect_moved({"more.cpp", "", "#include \"state.h\"\nlong more(long x) { return x * 3; }\n"}, {});
}

TEST_P(ClassRows, WhatMakesItMustBeKnown) {
  functions_ = {{"own", {"_ZN3Own13BenchmarkCaseERN9benchmark5StateE"}}};
  RowSources shared = classes, by_row = classes;
  shared["own.cpp"] +=
      "struct Heir : Own { using Own::Own; };\nbenchmark::Benchmark* heir = new Heir(7);\n";
  EXPECT_NE(digests(shared).unknown.at("own").find("classes share it"), std::string::npos);
  std::string& text = by_row["own.cpp"];
  text.erase(text.find("Own* the_own"));
  text += "void row(benchmark::State&) { RegisterBenchmarkInternal(new Own(3)); }\n";
  EXPECT_NE(digests(by_row).unknown.at("own").find("what makes the object"), std::string::npos);
}

/// As Google Benchmark does from 1.9.3 on, to start without address randomisation.
TEST(EnteredFunction, IsSeenInAProgramThatStartsItselfAgain) {
  const ScratchFolder folder;
  write_atomically(folder.path() / "row.cpp", R"(
#include <sys/personality.h>
#include <unistd.h>
namespace benchmark { struct State { int n; }; }
[[gnu::noinline]] void BM_row(benchmark::State& state) { asm volatile("" : : "r"(&state)); }
int main(int, char** arguments) {
  const int now = personality(0xffffffff);
  if (!(now & ADDR_NO_RANDOMIZE)) {
    personality(now | ADDR_NO_RANDOMIZE);
    execv(arguments[0], arguments);
  }
  benchmark::State state{1};
  BM_row(state);
}
)");
  const fs::path program = folder.path() / "row";
  const ProcessResult built =
      run_process({"g++", "-O2", (folder.path() / "row.cpp").string(), "-o", program.string()}, 60);
  ASSERT_TRUE(built.ok()) << built.describe();
  EXPECT_EQ(entered_function(program, {program.string()}),
            std::set<std::string>{"_Z6BM_rowRN9benchmark5StateE"});
}

/// Of a fixture it is BenchmarkCase(), though Run() and SetUp() are entered before; of a lambda
/// with captures it is what calls the lambda, whose object then counts.
TEST(EnteredFunction, OfAFixtureIsItsCaseAndOfALambdaWhatCallsIt) {
  const ScratchFolder folder;
  write_atomically(folder.path() / "row.cpp", R"(
#include <benchmark/benchmark.h>
#include <vector>
struct Words : benchmark::Fixture {
  void SetUp(benchmark::State&) override { words.assign(1 << 10, 3); }
  std::vector<int> words;
};
BENCHMARK_DEFINE_F(Words, Sum)(benchmark::State& state) {
  for (auto _ : state)
    for (const int& each : words) benchmark::DoNotOptimize(each);
}
BENCHMARK_REGISTER_F(Words, Sum)->Threads(1)->Threads(4);
const auto* const lambda = benchmark::RegisterBenchmark("lambda", [size = 7](benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(size + 1);
});
BENCHMARK_MAIN();
)");
  const fs::path program = folder.path() / "row";
  const ProcessResult built = run_process({"g++", "-O2", (folder.path() / "row.cpp").string(), "-o",
                                           program.string(), "-lbenchmark", "-lpthread"},
                                          120);
  ASSERT_TRUE(built.ok()) << built.describe();
  const auto entered = [&](const std::string& row) {
    return entered_function(program, {program.string(), "--benchmark_filter=" + row});
  };
  const std::set<std::string> sum = {"_ZN19Words_Sum_Benchmark13BenchmarkCaseERN9benchmark5StateE"};
  EXPECT_EQ(entered("Words/Sum/threads:1"), sum);
  EXPECT_EQ(entered("Words/Sum/threads:4"), sum);
  const std::set<std::string> lambda = entered("lambda");
  ASSERT_EQ(lambda.size(), 1u);
  EXPECT_NE(lambda.begin()->find("LambdaBenchmark"), std::string::npos) << *lambda.begin();
  EXPECT_NE(lambda.begin()->find("3RunE"), std::string::npos) << *lambda.begin();
}

INSTANTIATE_TEST_SUITE_P(Compilers, ClassRows, compilers);

}  // namespace
}  // namespace ratchet::counters
