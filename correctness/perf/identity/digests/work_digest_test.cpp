// Digests of what CPU stages execute. A small stage is compiled again and again, each time with one
// change. The digest must move with changes that affect the timed act, and with no other.
#include "perf/identity/digests/work_digest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "correctness/perf/support/toy_stage.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "perf/identity/code/elf_file.h"
#include "perf/identity/digests/work_walk.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet::counters {
namespace {

namespace fs = std::filesystem;

using Source = ToySource;
const Source plain;

class WorkDigest : public ToyStage {
 protected:
  std::string digest(const Source& source, const Libraries& libraries) {
    const auto objects = build(source);
    if (HasFatalFailure()) return "";
    std::map<std::string, std::string> unknown;
    const auto digests = work_digests(objects, {libraries, "", "timed_act"}, &unknown);
    EXPECT_TRUE(unknown.empty()) << unknown.begin()->second;
    EXPECT_EQ(digests.size(), 1u);
    return digests.empty() ? "" : digests.begin()->second;
  }
  std::string digest(const Source& source) { return digest(source, libraries()); }

  void harmless_edits_leave_it();
  void whatever_the_timed_act_feels_moves_it(const std::string& flags);

  /// What finds a stage by its name; compiled once for all tests.
  void add_registry(std::vector<fs::path>& objects) {
    static const ScratchFolder folder;
    for (const char* file : {"kernels/contract/stage.cpp", "kernels/contract/stage_part.cpp"}) {
      objects.push_back(folder.path() / (fs::path(file).stem().string() + ".o"));
      if (!fs::exists(objects.back()))
        compile(fs::path(RATCHET_SOURCE_DIR) / file, objects.back(), "-O1");
    }
  }

  /// Of ratchet-bench, which has all that the stage needs; ratchet's own code, which is not
  /// compiled here, passes for a library's.
  static const Libraries& libraries() {
    static const Libraries known = [] {
      const std::string path = built_program("perf/ratchet-bench");
      Libraries known = libraries_of(path);
      const std::string image = read_text(path, std::size_t{1} << 30);
      const ElfFile program(image, path);
      for (const ElfSection& section : program.sections()) {
        if (section.header.sh_type != SHT_SYMTAB) continue;
        const std::string_view names = program.sections().at(section.header.sh_link - 1).bytes;
        const auto* symbols = reinterpret_cast<const Elf64_Sym*>(section.bytes.data());
        for (std::size_t i = 0; i < section.bytes.size() / sizeof(Elf64_Sym); ++i) {
          const std::string_view name = names.data() + symbols[i].st_name;
          if (name.find("7ratchet") != name.npos) known.emplace(name, "ratchet");
        }
      }
      return known;
    }();
    return known;
  }
};

void WorkDigest::harmless_edits_leave_it() {
  const std::string before = digest(plain);
  ASSERT_EQ(before.size(), 40u);
  Source edited = plain;
  edited.folder = "elsewhere/in/another/checkout";
  EXPECT_EQ(digest(edited), before) << "another folder";
  for (const auto& [what, from, to] : std::vector<std::array<std::string, 3>>{
           {"a comment, and all lines moved", "namespace {\n", "\n\n// A remark.\nnamespace {\n"},
           {"a local function renamed", "std::uint64_t step(",
            "std::uint64_t advance(std::uint64_t);\n"
            "std::uint64_t step(std::uint64_t x) { return advance(x); }\n"
            "std::uint64_t advance("},
           {"what is handed out after the run", "return state;", "return state * 3;"},
           {"an unused function beside", "struct Sum final",
            "[[maybe_unused]] int beside(int x) { return x * 77; }\n"
            "struct Sum final"},
           {"the class renamed", "struct SumStage final : Stage {\n  SumStage()",
            "struct Other final : Stage {\n  Other()"}}) {
    edited = plain;
    edited.stage = replaced(toy_stage, from, to);
    if (what == "the class renamed") edited.stage = replaced(edited.stage, "<SumStage>", "<Other>");
    EXPECT_EQ(digest(edited), before) << what;
  }
  edited = plain;
  edited.flags += " -falign-functions=256";
  EXPECT_EQ(digest(edited), before) << "functions that begin elsewhere";
}

void WorkDigest::whatever_the_timed_act_feels_moves_it(const std::string& flags) {
  std::map<std::string, std::string> seen = {{digest(plain), "nothing changed"}};
  const auto moves = [&](const std::string& what, const Source& source) {
    const auto [place, added] = seen.emplace(digest(source), what);
    EXPECT_TRUE(added) << what << " gives the digest of: " << place->second;
  };
  const auto with_stage = [&](const std::string& from, const std::string& to) {
    Source source = plain;
    source.stage = replaced(toy_stage, from, to);
    return source;
  };
  moves("code of run()", with_stage("i < 2 * chunk; ++i", "i < 2 * chunk; i += 2"));
  moves("code that run() calls", with_stage("toy::turned(x) + ", "toy::turned(x) - "));
  moves("a table of the stage's own", with_stage("{2, 7, 1, 8}", "{2, 7, 1, 9}"));
  const std::string twice =
      "[[gnu::noipa]] std::uint64_t first(std::uint64_t x) { return x * 5; }\n"
      "[[gnu::noipa]] std::uint64_t second(std::uint64_t x) { return x ^ 9; }\n"
      "std::uint64_t step(std::uint64_t x) { return {}(second(first(x))) + toy::turned(x)";
  const auto then = [&](const char* last) {
    return with_stage("std::uint64_t step(std::uint64_t x) { return toy::turned(x)",
                      replaced(twice, "{}", last));
  };
  moves("functions that run() calls", then("first"));
  moves("which of them it calls again", then("second"));
  moves("a place in a table", with_stage("toy::table[x % 3]", "toy::table[1]"));
  moves("another place in it", with_stage("toy::table[x % 3]", "toy::table[3]"));
  moves("what prepare() leaves behind", with_stage("chunk(count / 2)", "chunk(count / 3)"));
  moves("wait()", with_stage("std::uint64_t units()",
                             "void wait() override { state += 5; }\n  std::uint64_t units()"));
  moves("reset()", with_stage("std::uint64_t units()",
                              "void reset() override { state = 9; }\n  std::uint64_t units()"));
  Source source = plain;
  source.header = replaced(toy_header, "x << 7 | x >> 57", "x << 9 | x >> 55");
  moves("an inlined header", source);
  source = plain;
  source.table = replaced(toy_table, "{3, 1, 4, 1}", "{3, 1, 4, 2}");
  moves("a table of another file", source);
  source = plain;
  source.flags = flags;
  moves("a compiler flag", source);
}

TEST_F(WorkDigest, HarmlessEditsLeaveIt) { harmless_edits_leave_it(); }

TEST_F(WorkDigest, WhateverTheTimedActFeelsMovesIt) {
  whatever_the_timed_act_feels_moves_it("-O2 -funroll-loops");
}

/// Objects for AArch64 have other relocations: an address takes two (a page, and a place in it).
class WorkDigestOfAarch64 : public WorkDigest {
 protected:
  void SetUp() override {
    if (!has_cross_compiler()) GTEST_SKIP() << "no " << cross_compiler;
    compiler() = cross_compiler;
  }
  void TearDown() override { compiler() = "c++"; }
};

TEST_F(WorkDigestOfAarch64, HarmlessEditsLeaveIt) { harmless_edits_leave_it(); }

TEST_F(WorkDigestOfAarch64, WhateverTheTimedActFeelsMovesIt) {
  whatever_the_timed_act_feels_moves_it("-O2 -mcpu=neoverse-n1 -funroll-loops");
}

TEST_F(WorkDigest, AnotherBuildOfALibraryMovesIt) {
  Source source = plain;
  source.stage = "#include <unistd.h>\n" +
                 replaced(toy_stage, "return toy::turned(x)", "return ::getpid() + toy::turned(x)");
  Libraries libraries = WorkDigest::libraries();
  const std::string before = digest(source, libraries);
  libraries["getpid"] += "1";
  EXPECT_NE(digest(source, libraries), before);
  libraries = WorkDigest::libraries();
  libraries["getppid"] += "1";
  EXPECT_EQ(digest(source, libraries), before) << "a function that the stage does not call";
}

TEST_F(WorkDigest, WhatTheLinkerAddsOfTheCLibraryIsKnown) {
  // As the code that nvcc writes beside kernels does.
  Source source = plain;
  source.stage = "#include <cstdlib>\n" + replaced(toy_stage, "return toy::turned(x)",
                                                   "return ::atexit(+[] {}) + toy::turned(x)");
  Libraries libraries = WorkDigest::libraries();
  const std::string before = digest(source, libraries);
  libraries["__cxa_atexit"] += "1";
  EXPECT_NE(digest(source, libraries), before);
}

TEST_F(WorkDigest, TheTimedActBelongsToIt) {
  const auto objects = build(plain);
  const Libraries& known = libraries();
  const auto before = work_digests(objects, {known, "", "timed_act"}, nullptr);
  write_atomically(scratch_.path() / "build/toy/clock.cpp",
                   "extern \"C\" int timed_act(int x) { return x + 2; }\n");
  compile(scratch_.path() / "build/toy/clock.cpp", objects[2], "-O2");
  EXPECT_NE(work_digests(objects, {known, "", "timed_act"}, nullptr), before);
  EXPECT_HAS(error_of([&] { work_digests(objects, {known, "", "no_such"}, nullptr); }), "no_such");
}

/// As a program finds it that links an installed library.
TEST_F(WorkDigest, CodeInAStaticLibraryCountsAsThatOfItsObjects) {
  const auto objects = build(plain);
  const Libraries& known = libraries();
  const fs::path library = scratch_.path() / "libtoy.a";
  const auto archived = [&](const std::string& flags) {
    fs::remove(library);
    const ProcessResult ar =
        run_process({"ar", flags, library.string(), objects[0].string(), objects[2].string()}, 60);
    EXPECT_TRUE(ar.ok()) << ar.describe();
    return work_digests({objects[1], library}, {known, "", "timed_act"}, nullptr);
  };
  const auto before = work_digests(objects, {known, "", "timed_act"}, nullptr);
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(archived("rcs"), before);
  EXPECT_HAS(error_of([&] { archived("rcsT"); }), "thin");
  archived("rcs");
  fs::resize_file(library, fs::file_size(library) / 2);
  EXPECT_HAS(error_of([&] { ObjectCode({library}); }), "libtoy.a");
  fs::resize_file(library, 8);
  EXPECT_HAS(error_of([&] { ObjectCode({library}); }), "without a member");
}

TEST_F(WorkDigest, WhatNothingDefinesLeavesAStageWithoutOne) {
  std::map<std::string, std::string> unknown;
  const auto objects = build(plain);
  const auto digests =
      work_digests({objects[1], objects[2]}, {libraries(), "", "timed_act"}, &unknown);
  EXPECT_TRUE(digests.empty());
  EXPECT_EQ(unknown["toy/cpu/01_sum"], "_ZN3toy5tableE");
}

#ifdef RATCHET_NVCC
class WorkDigestOfKernels : public WorkDigest {
 protected:
  std::string digest(const std::string& source, const std::string& folder = "build") {
    const fs::path root = scratch_.path() / folder, objects = root / "x.dir" / "toy";
    fs::create_directories(objects);
    write_atomically(root / "cuda_01_sum.cu", source);
    write_atomically(root / "clock.cpp", "extern \"C\" int timed_act(int x) { return x + 1; }\n");
    compile(root / "clock.cpp", objects / "clock.cpp.o", "-O2");
    compile_kernels(root / "cuda_01_sum.cu", objects / "cuda_01_sum.cu.o");
    std::map<std::string, std::string> unknown;
    const auto digests = work_digests({objects / "cuda_01_sum.cu.o", objects / "clock.cpp.o"},
                                      {libraries(), "13.0", "timed_act"}, &unknown);
    EXPECT_TRUE(unknown.empty()) << unknown.begin()->second;
    return digests.empty() ? "" : digests.at("toy/cuda/01_sum");
  }
};

TEST_F(WorkDigestOfKernels, MovesWithCodeShapeAndChoiceOfKernelAlone) {
  std::map<std::string, std::string> seen = {{digest(toy_kernels), "nothing changed"}};
  EXPECT_EQ(
      digest(replaced(toy_kernels, "namespace {", "\n// A remark.\nnamespace {"), "another/folder"),
      seen.begin()->first);
  for (const auto& [what, from, to] : std::vector<std::array<std::string, 3>>{
           {"the kernel's code", "to[threadIdx.x] += x", "to[threadIdx.x] += x + 1"},
           {"the grid", "<<<8, 256>>>", "<<<16, 256>>>"},
           {"the block", "<<<8, 256>>>", "<<<8, 128>>>"},
           {"dynamic shared memory", "<<<8, 256>>>", "<<<8, 256, 1024>>>"},
           {"an argument", "(nullptr, 3)", "(nullptr, 4)"},
           {"another kernel of equal form", "add<<<", "take<<<"},
           {"a second launch", "(nullptr, 3);", "(nullptr, 3); add<<<8, 256>>>(nullptr, 3);"}}) {
    const auto [place, added] = seen.emplace(digest(replaced(toy_kernels, from, to)), what);
    EXPECT_TRUE(added) << what << " gives the digest of: " << place->second;
  }
}
#endif

TEST_F(WorkDigest, AStageThatFindsOthersByNameHasNone) {
  for (const std::string finds :
       {"find_stage(\"x\") != nullptr", "registry().size()", "match_stages(\"x\").size()"}) {
    Source source = plain;
    source.stage = replaced(toy_stage, "state = step(state)", "state += " + finds);
    auto objects = build(source);
    for (const std::string where : {"a library", "an object"}) {
      std::map<std::string, std::string> unknown;
      EXPECT_TRUE(work_digests(objects, {libraries(), "", "timed_act"}, &unknown).empty()) << finds;
      EXPECT_EQ(unknown["toy/cpu/01_sum"], found_by_name) << finds << " in " << where;
      if (where == "a library") add_registry(objects);
    }
  }
}

TEST_F(WorkDigest, AStageThatFindsOthersByNameFailsTheBuild) {
  const auto build_with = [&](const std::string& finds) {
    Source source = plain;
    source.stage = "#include \"kernels/contract/stage_part.h\"\n" +
                   replaced(toy_stage, "state = step(state)", "state += " + finds + " != nullptr");
    auto objects = build(source);
    add_registry(objects);
    const fs::path program = scratch_.path() / "program", list = scratch_.path() / "objects";
    fs::remove(program.string() + ".work.json");
    fs::copy_file(built_program("perf/work_digests"), program,
                  fs::copy_options::overwrite_existing);
    std::string lines;
    for (const fs::path& object : objects) lines += object.string() + "\n";
    write_atomically(list, lines);
    return run_process({built_program("perf/work_digests"), program, list}, 120);
  };
  const ProcessResult marked = build_with("find_part<\"toy/cpu/02_other\">()");
  EXPECT_TRUE(marked.ok()) << marked.describe() << marked.errors;
  EXPECT_TRUE(fs::exists(scratch_.path() / "program.work.json"));
  const ProcessResult unmarked = build_with("find_stage(\"toy/cpu/02_other\")");
  EXPECT_FALSE(unmarked.ok());
  EXPECT_HAS(unmarked.errors,
             "toy/cpu/01_sum finds another stage by a name that its digest "
             "misses; call find_part<");
  EXPECT_FALSE(fs::exists(scratch_.path() / "program.work.json"));
}

TEST_F(WorkDigest, APartsNameIsKnownToTheCompiler) {
  const fs::path source = scratch_.path() / "part.cpp";
  const auto compiled = [&](const std::string& expression) {
    write_atomically(source,
                     "#include \"kernels/contract/stage_part.h\"\nusing namespace ratchet;\n"
                     "const Stage* found(const char* name) { return name, " +
                         expression + "; }\n");
    return run_process(
        {"sh", "-c",
         fmt::format(
             "c++ -std=c++20 {} -ffunction-sections -fdata-sections -fsyntax-only {} -I{} {}",
             precompiled_flags, precompiled(), RATCHET_SOURCE_DIR, source.string())},
        120);
  };
  const ProcessResult good = compiled("find_part<\"toy/cpu/01_sum\">()");
  EXPECT_TRUE(good.ok()) << good.errors;
  const std::string refused = "a_part_is_named_as_family_backend_NN_idea";
  for (const auto& [expression, message] : std::vector<std::pair<std::string, std::string>>{
           {"find_part(name)", "find_part"},
           {"find_part<name>()", "name"},
           {"StagePart::find(name)", "private"},
           {"find_part<\"\">()", refused},
           {"find_part<\"toy/cpu\">()", refused},
           {"find_part<\"toy/cpu/\">()", refused},
           {"find_part<\"toy//01_sum\">()", refused},
           {"find_part<\"toy/cpu/01_sum/2\">()", refused},
           {"find_part<\"toy/cpu/01_s\\xfcm\">()", refused},
           {"find_part<\"toy/cpu/01\\0_sum\">()", refused}}) {
    const ProcessResult bad = compiled(expression);
    EXPECT_FALSE(bad.ok()) << expression;
    EXPECT_NE(bad.errors.find(message), std::string::npos) << expression << ": " << bad.errors;
  }
}

TEST_F(WorkDigest, OfAStageWithPartsItMovesWithTheirs) {
  const auto digests_of = [&](const std::string& part, const std::string& weights) {
    auto objects = build(plain.with("weights[4] = {2, 7, 1, 8}", "weights[4] = " + weights));
    Source both = plain;
    both.folder = "both";
    both.stage = replaced(plain.stage, "toy/cpu/01_sum", "toy/cpu/02_both");
    both.stage = replaced(both.stage, "state = step(state)",
                          "state += find_part<\"" + part + "\">() != nullptr");
    both.stage = "#include \"kernels/contract/stage_part.h\"\n" + both.stage;
    const fs::path second = objects[1].parent_path() / "cpu_02_both.cpp.o";
    fs::rename(build(both)[1], second);
    objects.push_back(second);
    add_registry(objects);
    std::map<std::string, std::string> unknown;
    auto digests = work_digests(objects, {libraries(), "", "timed_act"}, &unknown);
    digests.merge(unknown);
    return digests["toy/cpu/02_both"];
  };
  const std::string before = digests_of("toy/cpu/01_sum", "{2, 7, 1, 8}");
  EXPECT_EQ(before.size(), 40u) << before;
  EXPECT_EQ(digests_of("toy/cpu/01_sum", "{2, 7, 1, 8}"), before);
  EXPECT_NE(digests_of("toy/cpu/01_sum", "{2, 7, 1, 9}"), before);
  EXPECT_EQ(digests_of("toy/cpu/03_none", "{2, 7, 1, 8}"),
            "the digest of its part toy/cpu/03_none");
}

TEST_F(WorkDigest, ManifestsAreReadForTheBuildThatTheyAreOf) {
  const fs::path program = scratch_.path() / "program";
  fs::copy_file(built_program("perf/ratchet-bench"), program);
  EXPECT_TRUE(read_work_manifest(program).empty());
  write_work_manifest(program, {build_id(program), {{"toy/cpu/01_sum", "d"}}});
  EXPECT_EQ(read_work_manifest(program).at("toy/cpu/01_sum"), "d");
  write_work_manifest(program, {std::string(40, '0'), {{"toy/cpu/01_sum", "d"}}});
  EXPECT_TRUE(read_work_manifest(program).empty()) << "of another build";
  write_atomically(program.string() + ".work.json", "{\"format\": 2}");
  EXPECT_HAS(error_of([&] { read_work_manifest(program); }), "format");
}

TEST_F(WorkDigest, EveryStageOfThisBuildHasOneOfItsOwn) {
  std::map<std::string, std::string> stages;
  for (const auto& [stage, digest] : read_work_manifest(built_program("perf/ratchet-bench")))
    EXPECT_TRUE(stages.emplace(digest, stage).second) << stage << " has that of " << stages[digest];
  const ProcessResult list = run_process({built_program("perf/ratchet"), "list", "--tsv"}, 60);
  std::istringstream lines(list.output);
  std::size_t count = 0;
  std::string line;
  std::getline(lines, line);  // the names of the columns
  while (std::getline(lines, line)) {
    const std::string stage = line.substr(0, line.find('\t'));
    // What a rank computes lies behind the message that starts it; a clock decides about these.
    if (stage.find("/mpi/") != stage.npos) continue;
    ++count;
    const bool known = std::any_of(stages.begin(), stages.end(),
                                   [&](const auto& each) { return each.second == stage; });
    EXPECT_TRUE(known) << stage;
  }
  EXPECT_EQ(count, stages.size());
}

TEST(WorkNames, ALauncherHasItsKernelsNameWhateverTheCompilerCallsTheSource) {
  const auto section = [](const char* kind, const char* length, const char* unnamed) {
    return std::string(".text._Z") + kind + length + "__device_stub__ZN4play" + unnamed + "4RuleEj";
  };
  for (const char* kind : {"", "L"}) {
    EXPECT_EQ(kernel_of_launcher(section(kind, "94", "39_GLOBAL__N__93a3d964_2_a_cu_b8f65d94_79")),
              ".text.ZN4play4RuleEj");
    EXPECT_EQ(
        kernel_of_launcher(section(kind, "105", "41_GLOBAL__N__13a3d964_2_a_cu_c8f65d94_1234")),
        ".text.ZN4play4RuleEj");
  }
}

}  // namespace
}  // namespace ratchet::counters
