// Digests of the rows of a Google Benchmark program. A small program is compiled again and again,
// each time with one change. The digests of the rows that the change affects must move, and no
// other.
#include "perf/identity/digests/row_digest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "correctness/perf/identity/digests/compiled_rows.h"
#include "correctness/support/error_of.h"

namespace ratchet::counters {
namespace {

/// Two rows: "own" reaches nearly everything here, "other" almost nothing. They include no header
/// of a library, of which a compiler reads three times as long as of this.
const RowSources row_sources = {{"state.h", "namespace benchmark { struct State { int n; }; }\n"},
                                {"lib.h", R"(
#pragma once
struct Shape { virtual long area(long x) const; virtual long edge(long x) const; long w = 3; };
struct Square : Shape { long area(long x) const override; };
inline long inlined(long x) { return x * 9 + 4; }
template <class T> [[gnu::noinline]] T scaled(T x) { return x * T(3) + T(2); }
long by_default(long x, long y = 5);
long deep(long x);
long cases(long x);
long thrown(long x);
extern long counter;
extern long (*const handlers[3])(long);
extern long (*hook)(long);
extern thread_local long local;
const char* text();
)"},
                                {"lib.cpp", R"(
#include "lib.h"
extern "C" {
long labs(long);
void* memset(void*, int, unsigned long);
double sqrt(double), cbrt(double);
}
static const long table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
[[gnu::noinline]] static long third(long x) { return x * 21 + table[x & 7]; }
[[gnu::noinline]] static long second(long x) { return third(x) - 2; }
long deep(long x) { return second(x) + 1; }
long Shape::area(long x) const { return w * x; }
long Shape::edge(long x) const { return w + x; }
long Square::area(long x) const { return w * w * x; }
long by_default(long x, long y) { return x % (y + 1); }
[[gnu::noinline]] static long one(long x) { return x + 1001; }
[[gnu::noinline]] static long two(long x) { return x ^ 2002; }
[[gnu::noinline]] static long three(long x) { return x / 7; }
long (*const handlers[3])(long) = {one, two, three};
long (*hook)(long) = two;
long counter = 17;
long zeroed[40];
thread_local long local = 11;
const char* text() { return "a text of the row"; }
long cases(long x) {
  switch (x) {
    case 0: return one(x);
    case 1: return two(x) * 3;
    case 2: return three(x) - 1;
    case 3: return x * 77;
    case 4: return deep(x);
    case 5: return x << 3;
    case 6: return labs(x);
  }
  return 0;
}
long thrown(long x) {
  try { if (x > 5) throw int(x); return one(x); } catch (int y) { return y; }
}
struct Filled { Filled() { zeroed[3] = 5; } } filled;
long cleared(char* where) { memset(where, 0, 4096 + 8); return where[0] + zeroed[3]; }
double floating(double x) { return sqrt(x) * 2.5 + 0.125; }
typedef int Vector __attribute__((vector_size(16)));
Vector wide(Vector x) { return x + Vector{1, 2, 3, 4}; }
[[gnu::aligned(32)]] int aligned[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static long fast() { return 8; }
static long slow() { return 9; }
extern "C" long (*choose())() { return counter > 3 ? fast : slow; }
extern "C" long chosen() __attribute__((ifunc("choose")));
)"},
                                {"rows.cpp", R"(
#include "lib.h"
#include "state.h"
long cleared(char*); double floating(double);
typedef int Vector __attribute__((vector_size(16)));
Vector wide(Vector);
extern int aligned[8];
extern "C" long chosen();
extern "C" int puts(const char*);
[[gnu::noinline]] static long untouched(long x) { return x * 5 + 3; }
void own(benchmark::State& s) {
  char where[5000];
  Square square;
  const Shape* shape = &square;
  asm volatile("" : "+r"(shape));
  long x = s.n;
  x += deep(x) + shape->area(x) + inlined(x) + scaled<long>(x) + by_default(x) + cases(x);
  x += thrown(x) + counter + handlers[x & 1](x) + hook(x) + local + text()[x & 7];
  x += cleared(where) + long(floating(double(x))) + wide(Vector{int(x)})[2] + aligned[x & 7];
  x += chosen() + puts("done");
  s.n = int(x);
}
void other(benchmark::State& s) { s.n = int(untouched(s.n)); }
)"},
                                {"main.cpp", R"(
#include "state.h"
void own(benchmark::State&); void other(benchmark::State&);
void (*list[2])(benchmark::State&);
struct Registered {
  Registered(int i, void (*f)(benchmark::State&)) {
    asm volatile("" : "+r"(f));
    list[i] = f;
  }
} first(0, own), second(1, other);
int main(int count, char**) { benchmark::State s{count}; list[count & 1](s); return s.n; }
)"}};

class RowDigest : public CompiledRows {
 protected:
  static RowSources with(const std::string& file, const std::string& from, const std::string& to) {
    RowSources edited = row_sources;
    std::string& text = edited.at(file);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return edited;
  }
};

TEST_P(RowDigest, WhateverARowReachesMovesIt) {
  const RowDigests before = digests(row_sources);
  ASSERT_TRUE(before.unknown.empty()) << before.unknown.begin()->second;
  std::map<std::string, std::string> seen = {{before.digests.at("own"), "nothing changed"}};
  const std::vector<RowEdit> edits = {
      {"lib.cpp", "{3, 1, 4, 1, 5, 9, 2, 6}", "{3, 1, 4, 1, 5, 9, 2, 7}"},
      {"lib.cpp", "{3, 1, 4, 1, 5, 9, 2, 6}", "{4, 1, 4, 1, 5, 9, 2, 6}"},
      {"lib.cpp", "x * 21 + table", "x * 22 + table"},
      {"lib.cpp", "table[x & 7]", "table[x & 3]"},
      {"lib.cpp", "third(x) - 2", "third(x) - 3"},
      {"lib.cpp", "second(x) + 1", "third(x) + 1"},
      {"lib.cpp", "return w * w * x", "return w * w + x"},
      {"lib.cpp", "return w + x", "return w - x"},
      {"lib.h", "long w = 3", "long w = 4"},
      {"lib.h", "x * 9 + 4", "x * 9 + 6"},
      {"lib.h", "x * T(3) + T(2)", "x * T(3) + T(5)"},
      {"lib.h", "long y = 5", "long y = 6"},
      {"lib.cpp", "x % (y + 1)", "x % (y + 2)"},
      {"lib.cpp", "x + 1001", "x + 1003"},
      {"lib.cpp", "x ^ 2002", "x ^ 2003"},
      {"lib.cpp", "return x / 7", "return x / 9"},
      {"lib.cpp", "{one, two, three}", "{one, three, two}"},
      {"lib.cpp", "{one, two, three}", "{one, two, one}"},
      {"lib.cpp", "hook)(long) = two", "hook)(long) = three"},
      {"lib.cpp", "long counter = 17", "long counter = 18"},
      {"lib.cpp", "long zeroed[40]", "long zeroed[44]"},
      {"lib.cpp", "local = 11", "local = 12"},
      {"lib.cpp", "a text of the row", "a text of the raw"},
      {"lib.cpp", "a text of the row", "a text of the row!"},
      {"lib.cpp", "case 3: return x * 77", "case 3: return x * 79"},
      {"lib.cpp", "case 5: return x << 3", "case 5: return two(x) * 3"},
      {"lib.cpp", "case 0: return one(x);\n    case 1: return two(x) * 3",
       "case 1: return one(x);\n    case 0: return two(x) * 3"},
      {"lib.cpp", "throw int(x)", "throw long(x)"},
      {"lib.cpp", "catch (int y)", "catch (unsigned y)"},
      {"lib.cpp", "zeroed[3] = 5", "zeroed[3] = 6"},
      {"lib.cpp", "zeroed[3] = 5", "zeroed[4] = 5"},
      {"lib.cpp", "filled;", "filled; struct G { G() { counter *= 3; } } again;"},
      {"lib.cpp", "4096 + 8", "4096 + 16"},
      {"lib.cpp", "where[0] + zeroed[3]", "where[0] + zeroed[5]"},
      {"lib.cpp", "* 2.5", "* 2.75"},
      {"lib.cpp", "+ 0.125", "+ 0.25"},
      {"lib.cpp", "sqrt(x)", "cbrt(x)"},
      {"lib.cpp", "Vector{1, 2, 3, 4}", "Vector{1, 2, 3, 5}"},
      {"lib.cpp", "{1, 2, 3, 4, 5, 6, 7, 8}", "{1, 2, 3, 4, 5, 6, 7, 9}"},
      {"lib.cpp", "return 8;", "return 10;"},
      {"lib.cpp", "return 9;", "return 12;"},
      {"lib.cpp", "? fast : slow", "? slow : fast"},
      {"lib.cpp", "counter > 3", "counter > 4"},
      {"rows.cpp", "puts(\"done\")", "puts(\"gone\")"},
      {"rows.cpp", "int puts(const char*);", "int remove(const char*);\n#define puts remove\n"},
      {"rows.cpp", "char where[5000]", "char where[6000]"},
      {"rows.cpp", "handlers[x & 1]", "handlers[x & 2]"},
      {"rows.cpp", "aligned[x & 7]", "aligned[x & 3]"},
      {"main.cpp", "int main(int count, char**) {",
       "extern long counter; int main(int count, char**) { counter = 3;"},
  };
  ASSERT_GE(edits.size(), 49u);
  // The first compiler takes all; the others a third each, which keeps the test short.
  const std::size_t step = GetParam() == std::string(first_compiler) ? 1 : 3;
  for (std::size_t i = GetParam() == std::string(last_compiler); i < edits.size(); i += step) {
    const RowEdit& edit = edits[i];
    const RowDigests now = digests(with(edit.file, edit.from, edit.to));
    ASSERT_TRUE(now.unknown.empty()) << edit.to << ": " << now.unknown.begin()->second;
    const auto [place, added] = seen.emplace(now.digests.at("own"), edit.to);
    EXPECT_TRUE(added) << edit.from << " -> " << edit.to << " is as: " << place->second;
    if (std::string(edit.file) == "lib.cpp") {
      EXPECT_EQ(now.digests.at("other"), before.digests.at("other")) << edit.to;
    }
  }
  const RowDigests optimised = digests(row_sources, {}, "-O3 -mavx2");
  EXPECT_TRUE(seen.emplace(optimised.digests.at("own"), "flags").second);
}

TEST_P(RowDigest, AnInitialiserOfALibraryCountsWhereTheLinkerTookIt) {
  RowSources sources = row_sources;
  sources["archived.cpp"] =
      "extern long counter;\nint anchor = 0;\n"
      "struct Setter { Setter() { counter *= 7; } } setter;\n";
  const std::vector<std::string> order = {"lib.cpp", "main.cpp", "rows.cpp", "archived.cpp"};
  const RowDigests without = digests(sources, order);
  ASSERT_TRUE(without.unknown.empty()) << without.unknown.begin()->second;
  EXPECT_EQ(without.digests, digests(row_sources).digests);
  // No row reaches the function that makes the linker take it.
  sources.at("rows.cpp") += "extern int anchor;\nint unreached() { return ++anchor; }\n";
  const RowDigests with_it = digests(sources, order);
  ASSERT_TRUE(with_it.unknown.empty()) << with_it.unknown.begin()->second;
  EXPECT_NE(with_it.digests.at("own"), without.digests.at("own"));
  EXPECT_EQ(with_it.digests.at("other"), without.digests.at("other"));
}

TEST_P(RowDigest, OfAnInlineFunctionInTwoLibrariesTheLinkedOneCounts) {
  RowSources sources = with("rows.cpp", "x += chosen()", "x += use_1(x) + use_2(x) + chosen()");
  sources.at("rows.cpp").insert(0, "long use_1(long), use_2(long);\n");
  const auto library = [&](const char* result, int number) {
    return fmt::format(
        "[[gnu::noinline]] inline long twofold(long x) {{ return {}; }}\n"
        "long use_{}(long x) {{ return twofold(x) + 1; }}\n",
        result, number);
  };
  sources["archived_1.cpp"] = library("x * x + 1000001", 1);
  sources["archived_2.cpp"] = library("x + 3", 2);
  const std::vector<std::string> order = {"lib.cpp", "main.cpp", "rows.cpp", "archived_1.cpp",
                                          "archived_2.cpp"};
  const RowDigests before = digests(sources, order);
  ASSERT_TRUE(before.unknown.empty()) << before.unknown.begin()->second;
  sources["archived_2.cpp"] = library("x - 3", 2);
  EXPECT_EQ(digests(sources, order).digests, before.digests);
  sources["archived_1.cpp"] = library("x * x + 1000002", 1);
  EXPECT_NE(digests(sources, order).digests.at("own"), before.digests.at("own"));
  // Two of one length, and none is known to be the linked one.
  sources["archived_2.cpp"] = library("x * x + 1000003", 2);
  EXPECT_EQ(digests(sources, order).unknown.count("own"), 1u);
}

TEST_P(RowDigest, TheLinkersOptionsCount) {
  const RowDigests before = digests(row_sources);
  options_ = "-Wl,--wrap=deep";
  EXPECT_NE(digests(row_sources).digests, before.digests);
}

TEST_P(RowDigest, HarmlessEditsLeaveIt) {
  const RowDigests before = digests(row_sources);
  ASSERT_TRUE(before.unknown.empty()) << before.unknown.begin()->second;
  const auto stays = [&](const std::string& what, const RowDigests& now) {
    EXPECT_EQ(now.digests.at("other"), before.digests.at("other")) << what;
    // Clang refers to a file's strings as one section, which another string changes.
    if (std::string(GetParam()).starts_with("g++")) {
      EXPECT_EQ(now.digests.at("own"), before.digests.at("own")) << what;
    }
  };
  stays("a comment", digests(with("lib.cpp", "static const", "// A remark.\n\nstatic const")));
  RowSources renamed = with("lib.cpp", "static long third(", "static long renamed(");
  std::string& text = renamed.at("lib.cpp");
  text.replace(text.find("return third("), 13, "return renamed(");
  stays("a function renamed", digests(renamed));
  stays("dead code before a function",
        digests(with("lib.cpp", "[[gnu::noinline]] static long third",
                     "long unused(long x) { return x * x * 3 + x / 5; }\n"
                     "[[gnu::noinline]] static long third")));
  stays("dead code before a row", digests(with("rows.cpp", "void own(",
                                               "long unused(long x) { return x * x * 3 - 5; }\n"
                                               "void own(")));
  stays("a row added", digests(with("rows.cpp", "void other(",
                                    "void added(benchmark::State& s) { s.n += puts(\"new\"); }\n"
                                    "void other(")));
  RowSources fixture = row_sources;
  fixture["fixture.cpp"] =
      "#include \"state.h\"\nextern \"C\" int puts(const char*);\n"
      "struct Base {\n"
      "  Base();\n"
      "  virtual void SetUp(const benchmark::State&) { puts(\"ready\"); }\n"
      "  virtual long once() = 0;\n"
      "};\n"
      "[[gnu::noinline]] Base::Base() { asm volatile(\"\" ::: \"memory\"); }\n"
      "struct Fixture : Base { long once() override { return 2; } };\n"
      "Fixture* made = new Fixture;\n";
  stays("a fixture, whose SetUp() no initialiser can call", digests(fixture));
  RowSources moved =
      with("rows.cpp", "void other(benchmark::State& s) { s.n = int(untouched(s.n)); }", "");
  std::string& rows = moved.at("rows.cpp");
  const std::string function =
      "[[gnu::noinline]] static long untouched(long x) { return x * 5 + 3; }\n";
  rows.erase(rows.find(function), function.size());
  moved["more.cpp"] = "#include \"state.h\"\n" + function +
                      "void other(benchmark::State& s) { s.n = int(untouched(s.n)); }\n";
  stays("a function moved to another file", digests(moved));
  stays("objects in another order", digests(row_sources, {"rows.cpp", "lib.cpp", "main.cpp"}));
}

/// Of one file: a constant whose bytes would be a jump to the begin of the function before,
/// tables of jumps, a table that is none, and a jump to a function near by.
const char* const one_file = R"(
extern const long weights[4];
static const short kinds[4] = {7, 5, 3, 1};
static long leaf(long x);
//first
[[gnu::noinline]] long first(long x) { return x + 7; }
//odd
[[gnu::noinline]] long odd(long x) {
#ifdef __x86_64__
  asm volatile("movabs $0x11223344556eceb, %%rax" : : : "rax");
#endif
  return x * 3;
}
//cases
long cases(long x) {
  switch (x) {
    case 0: return odd(x);
    case 1: return odd(x) * 3;
    case 2: return x ^ 1002;
    case 3: return x * 77;
    case 5: return x << 3;
  }
  return kinds[x & 3];
}
//others
long others(long x) {
  switch (x) {
    case 0: return x - 9;
    case 1: return odd(x) * 5;
    case 2: return x / 11;
    case 3: return x * 33;
    case 5: return x << 7;
  }
  return weights[x & 3];
}
//leaf
[[gnu::noinline]] static long leaf(long x) { asm volatile("" : "+r"(x)); return x * 13; }
//tail
[[gnu::noinline]] long tail(long x) { return leaf(x + 1); }
//aside
[[gnu::noinline]] long aside(long x) { return x + 9; }
//end
)";

TEST_P(RowDigest, AFunctionMovedInItsFileLeavesIt) {
  RowSources sources = row_sources;
  sources["more.cpp"] = one_file;
  sources["rows.cpp"] =
      "#include \"state.h\"\nlong cases(long); long others(long); long tail(long);\n"
      "extern const long weights[4] = {1, 2, 3, 4};\n"
      "void own(benchmark::State& s) { s.n = int(cases(s.n) + tail(s.n)); }\n"
      "void other(benchmark::State& s) { s.n = int(others(s.n)); }\n";
  sources.erase("lib.cpp");
  const RowDigests before = digests(sources);
  ASSERT_TRUE(before.unknown.empty()) << before.unknown.begin()->second;
  const auto moved = [&](const std::string& what, const std::string& to) {
    RowSources edited = sources;
    std::string& text = edited.at("more.cpp");
    const std::size_t begin = text.find("//" + what), end = text.find("//", begin + 2);
    const std::string function = text.substr(begin, end - begin);
    text.erase(begin, end - begin);
    text.insert(text.find("//" + to), function);
    return digests(edited).digests;
  };
  EXPECT_EQ(moved("aside", "odd"), before.digests) << "between a function and what its bytes name";
  EXPECT_EQ(moved("first", "end"), before.digests);
  // With -no-pie it counts where a table lies.
  const bool by_distance = std::string(GetParam()).find("no-pie") == std::string::npos;
  if (by_distance) {
    EXPECT_EQ(moved("others", "cases"), before.digests)
        << "tables of jumps in another order, and a longer jump to odd(), so other padding";
  }
  const auto edited = [&](const std::string& from, const std::string& to) {
    RowSources all = sources;
    std::string& text = all.at("more.cpp");
    text.replace(text.find(from), from.size(), to);
    return digests(all).digests;
  };
  for (const auto& [from, to] :
       std::map<std::string, std::string>{{"x * 13", "x * 17"},  // by a short jump
                                          {"0: return odd(x)", "0: return odd(x) + 1"},
                                          {"case 5: return x << 3", "case 6: return x << 3"},
                                          {"{7, 5, 3, 1}", "{7, 5, 1, 3}"}}) {
    const auto now = edited(from, to);
    EXPECT_NE(now.at("own"), before.digests.at("own")) << from;
    if (by_distance && from[0] != '{') {
      EXPECT_EQ(now.at("other"), before.digests.at("other")) << from;
    }
  }
  // The code of two cases of one length changes places: only the table shows it.
  const auto swapped = [](std::string text) {
    const std::size_t two = text.find("case 2: return x ^"),
                      three = text.find("case 3: return x * 77");
    text[two + 5] = '3';
    text[three + 5] = '2';
    return text;
  };
  RowSources all = sources;
  all["more.cpp"] = swapped(one_file);
  EXPECT_NE(digests(all).digests.at("own"), before.digests.at("own"));
}

TEST_P(RowDigest, WhatCannotBeFollowedSaysSo) {
  if (std::string(GetParam()).starts_with("g++")) {
    EXPECT_NE(error_of([&] { digests(row_sources, {}, "-flto"); }).find("-flto"),
              std::string::npos);
  }
  const RowDigests kept =
      digests(with("main.cpp", "void (*list[2])",
                   "extern void (*const kept[1])(benchmark::State&);\n"
                   "void (*const kept[1])(benchmark::State&) = {own};\nvoid (*list[2])"));
  EXPECT_EQ(kept.unknown.count("own"), 1u);
  EXPECT_EQ(kept.digests.count("other"), 1u);
}

INSTANTIATE_TEST_SUITE_P(Compilers, RowDigest, compilers);

}  // namespace
}  // namespace ratchet::counters
