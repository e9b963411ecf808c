// Building another revision: of a repository so small that each build takes a second.
#include "perf/gate/base/base_build.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/run/run.h"
#include "perf/identity/build/build_options.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

// Trying out the compiler and make's many processes would take most of each test.
const char* const lists = R"(cmake_minimum_required(VERSION 3.20)
set(CMAKE_CXX_COMPILER_FORCED TRUE)
project(tiny LANGUAGES CXX)
set(TINY_WORD "none" CACHE STRING "")
add_executable(tiny-bench bench.cpp)
target_compile_definitions(tiny-bench PRIVATE TINY_WORD="${TINY_WORD}")
set_target_properties(tiny-bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/perf)
)";

std::string program(const std::string& word) {
  return "#include <cstdio>\nint main() { std::puts(\"" + word +
         " \" TINY_WORD \" \" FLAVOUR); }\n";
}

std::string message_of(const std::function<void()>& act) {
  const std::string message = error_of(act);
  EXPECT_LACKS(message, '\n');
  return message;
}

/// A repository of two revisions, "one" and "two", tagged so; a working build of it; and changes
/// that are not committed.
class BaseBuildTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("GIT_DIR");
    fs::create_directories(repository());
    write("CMakeLists.txt", lists);
    git({"init", "-q"});
    commit("one");
    commit("two");
    write("bench.cpp", program("dirty"));
    must({"cmake", "-G", "Ninja", "-S", repository(), "-B", repository() / "build",
          "-DCMAKE_BUILD_TYPE=Release", "-DTINY_WORD=said",
          "-DCMAKE_CXX_FLAGS=-DFLAVOUR='\"sweet sour\"'"});
  }
  void TearDown() override { unsetenv("GIT_DIR"); }

  fs::path repository() const { return folder_.path() / "repository"; }
  fs::path cache() const { return folder_.path() / "cache"; }
  void write(const fs::path& name, const std::string& text) {
    fs::create_directories((repository() / name).parent_path());
    std::ofstream(repository() / name) << text;
  }
  static std::string must(const std::vector<std::string>& command) {
    const ProcessResult result = run_process(command, 100);
    EXPECT_TRUE(result.ok()) << command[0] << ": " << result.describe() << result.output;
    return result.output;
  }
  std::string git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", repository(), "-c", "user.name=a", "-c",
                                         "user.email=a@b", "-c", "commit.gpgsign=false"});
    return must(arguments);
  }
  void commit(const std::string& word, const std::string& text = "") {
    write("bench.cpp", text.empty() ? program(word) : text);
    git({"add", "CMakeLists.txt", "bench.cpp"});
    git({"commit", "-q", "-m", word});
    git({"tag", word});
  }
  BaseBuildOptions options() {
    BaseBuildOptions options;
    options.like = repository() / "build" / "CMakeCache.txt";
    options.cache = cache();
    options.programs = {"perf/tiny-bench"};
    options.progress = [this](const std::string& line) { said_ += line + "\n"; };
    return options;
  }
  BaseBuild build(const std::string& revision) {
    return build_revision(repository(), revision, options());
  }

  ScratchFolder folder_;
  std::string said_;
};

TEST_F(BaseBuildTest, BuildsTheRevisionWithTheOptionsOfThisBuild) {
  const std::string before = git({"status", "--porcelain"});
  const BaseBuild base = build("one");
  EXPECT_FALSE(base.reused);
  EXPECT_EQ(base.commit + "\n", git({"rev-parse", "one"}));
  ASSERT_EQ(base.programs.size(), 1u);
  EXPECT_EQ(must({base.programs[0]}), "one said sweet sour\n");
  EXPECT_EQ(base.programs[0], base.source / "build" / "perf" / "tiny-bench");
  EXPECT_HAS(read_text(base.log), "tiny-bench");
  EXPECT_HAS(said_, "building revision one (" + base.commit.substr(0, 12) + ")");
  EXPECT_HAS(said_, "is built in ");
  EXPECT_GT(base.seconds, 0);
  // The working tree, its index and its list of worktrees are as they were.
  EXPECT_EQ(git({"status", "--porcelain"}), before);
  const std::string worktrees = git({"worktree", "list"});
  EXPECT_EQ(std::count(worktrees.begin(), worktrees.end(), '\n'), 1) << worktrees;
  EXPECT_EQ(read_text(repository() / "bench.cpp"), program("dirty"));
}

TEST_F(BaseBuildTest, ACopiedBuildFolderIsNamedBeforeItBuilds) {
  fs::copy(repository() / "build", folder_.path() / "copy", fs::copy_options::recursive);
  BaseBuildOptions copied = options();
  copied.like = folder_.path() / "copy" / "CMakeCache.txt";
  const auto says = [&](const std::function<void()>& act) {
    const std::string said = message_of(act);
    EXPECT_HAS(said, copied.like.string() + " was made for the build folder " +
                         (repository() / "build").string());
    EXPECT_HAS(said, "cmake --fresh");
  };
  says([&] { build_revision(repository(), "one", copied); });
  says([&] { build_of_program(folder_.path() / "copy" / "perf" / "tiny-bench", {}); });
  EXPECT_EQ(said_, "");
  EXPECT_NO_THROW(build_of_program(repository() / "build" / "perf" / "tiny-bench", {}));
}

TEST_F(BaseBuildTest, AProgramThatWasCopiedOutOfItsBuildFolderIsNamed) {
  const fs::path program = repository() / "build" / "perf" / "tiny-bench";
  const fs::path copy = folder_.path() / "tiny-bench";
  BaseBuildOptions asked;
  asked.like = repository() / "build" / "CMakeCache.txt";
  EXPECT_HAS(
      message_of([&] { build_of_program(copy, asked); }),
      copy.string() + " does not lie in the build folder " + (repository() / "build").string());
  EXPECT_NO_THROW(build_of_program(program, asked));
}

TEST_F(BaseBuildTest, BuildsInTheRepositoryItselfUnseenByGit) {
  write(".gitignore", "/build/\n");
  git({"add", "-A"});
  git({"commit", "-q", "-m", "clean"});
  BaseBuildOptions here = options();
  here.cache.clear();
  const BaseBuild base = build_revision(repository(), "HEAD~2", here);
  EXPECT_EQ(must({base.programs[0]}), "one said sweet sour\n");
  EXPECT_TRUE(base.programs[0].string().starts_with((repository() / "results/base/").string()));
  EXPECT_EQ(git({"status", "--porcelain"}), "");
}

TEST_F(BaseBuildTest, FinishedBuildIsUsedAgain) {
  const BaseBuild first = build("one");
  const auto written = fs::last_write_time(first.programs[0]);
  const BaseBuild second = build(first.commit.substr(0, 10));
  EXPECT_TRUE(second.reused);
  EXPECT_EQ(second.programs, first.programs);
  EXPECT_EQ(fs::last_write_time(second.programs[0]), written);
  // Under other options it is another build, and the first stays.
  must({"cmake", "-DTINY_WORD=else", repository() / "build"});
  const BaseBuild other = build("one");
  EXPECT_FALSE(other.reused);
  EXPECT_EQ(must({other.programs[0]}), "one else sweet sour\n");
  EXPECT_EQ(must({first.programs[0]}), "one said sweet sour\n");
}

TEST_F(BaseBuildTest, InterruptedBuildIsBegunAnew) {
  const BaseBuild first = build("one");
  const fs::path stamp = first.log.parent_path() / "built.json";
  const std::string whole = read_text(stamp);
  // Killed while it was building: no stamp, and files of which nobody knows how far they came.
  fs::remove(stamp);
  std::ofstream(first.programs[0]) << "half";
  std::ofstream(first.source / "left_over.txt") << "x";
  EXPECT_FALSE(build("one").reused);
  EXPECT_EQ(must({first.programs[0]}), "one said sweet sour\n");
  EXPECT_FALSE(fs::exists(first.source / "left_over.txt"));
  // A stamp that was cut short, one of something else, and a program that is gone.
  std::ofstream(stamp) << whole.substr(0, whole.size() / 2);
  EXPECT_FALSE(build("one").reused);
  std::ofstream(stamp) << "{\"commit\": \"" << first.commit << "\"}";
  EXPECT_FALSE(build("one").reused);
  fs::remove(first.programs[0]);
  EXPECT_FALSE(build("one").reused);
  EXPECT_TRUE(build("one").reused);
}

TEST_F(BaseBuildTest, AFurtherProgramIsBuiltInTheSameTree) {
  write("CMakeLists.txt", std::string(lists) +
                              "add_executable(tiny-more bench.cpp)\n"
                              "set_target_properties(tiny-more PROPERTIES RUNTIME_OUTPUT_DIRECTORY "
                              "${PROJECT_BINARY_DIR}/perf)\n"
                              "target_compile_definitions(tiny-more PRIVATE TINY_WORD=\"more\")\n");
  commit("three");
  const BaseBuild first = build("three");
  const auto written = fs::last_write_time(first.programs[0]);
  BaseBuildOptions both = options();
  both.programs.push_back("perf/tiny-more");
  const BaseBuild second = build_revision(repository(), "three", both);
  EXPECT_FALSE(second.reused);
  EXPECT_EQ(fs::last_write_time(second.programs[0]), written) << "built anew";
  EXPECT_EQ(must({second.programs[1]}), "three more sweet sour\n");
  EXPECT_TRUE(build_revision(repository(), "three", both).reused);
  EXPECT_TRUE(build("three").reused);
  both.programs.push_back("perf/tiny-none");
  EXPECT_HAS(message_of([&] { build_revision(repository(), "three", both); }), "tiny-none");
  EXPECT_TRUE(build("three").reused) << "what was built before is lost";
}

TEST_F(BaseBuildTest, TwoAtOnceBuildOnce) {
  const auto quiet = [&] {
    BaseBuildOptions each = options();
    each.progress = nullptr;
    return build_revision(repository(), "two", each);
  };
  auto other = std::async(std::launch::async, quiet);
  const BaseBuild mine = quiet();
  const BaseBuild theirs = other.get();
  EXPECT_NE(mine.reused, theirs.reused);
  EXPECT_EQ(mine.programs, theirs.programs);
  EXPECT_EQ(must({mine.programs[0]}), "two said sweet sour\n");
}

TEST_F(BaseBuildTest, RevisionThatDoesNotBuild) {
  commit("broken", "int main() { return undeclared_thing; }\nint f() { return another_thing; }\n");
  const std::string message = message_of([&] { build("broken"); });
  EXPECT_HAS(message, "revision broken (");
  EXPECT_HAS(message, ") does not build: ");
  EXPECT_HAS(message, "error: ");
  EXPECT_HAS(message, "undeclared_thing");
  EXPECT_HAS(message, "; the log is " + cache().string());
  EXPECT_HAS(message, "; repair it, or name another revision, or the command that builds it");
  EXPECT_LACKS(said_, "another_thing") << "which the log has";
  EXPECT_LACKS(said_, "undeclared_thing") << "which the error says";
  EXPECT_LACKS(said_, "FAILED:") << "no end of the log, which has its place in the error";
  const std::string worktrees = git({"worktree", "list"});
  EXPECT_EQ(std::count(worktrees.begin(), worktrees.end(), '\n'), 1) << worktrees;
  // And again: a failed build is never taken for a finished one.
  EXPECT_HAS(message_of([&] { build("broken"); }), "does not build");

  write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(tiny LANGUAGES CXX)\n");
  commit("empty");
  EXPECT_HAS(message_of([&] { build("empty"); }), "tiny-bench");
  git({"rm", "-q", "--cached", "CMakeLists.txt"});
  git({"commit", "-q", "-m", "bare"});
  EXPECT_HAS(message_of([&] { build("HEAD"); }), "it has no CMakeLists.txt");
}

TEST_F(BaseBuildTest, BuildThatTakesTooLong) {
  write("CMakeLists.txt", std::string(lists) + "execute_process(COMMAND sleep 60)\n");
  commit("slow");
  BaseBuildOptions hasty = options();
  hasty.limit_s = 3;
  EXPECT_HAS(message_of([&] { build_revision(repository(), "slow", hasty); }),
             "did not finish within 3 s and was killed");
}

TEST_F(BaseBuildTest, UnknownRevisions) {
  for (const char* name : {"nowhere", "--all", "", "two:bench.cpp", "two..one"}) {
    const std::string message = message_of([&] { build(name); });
    EXPECT_HAS(message, std::string("has no revision \"") + name + "\"; `git log");
  }
  EXPECT_FALSE(fs::exists(cache()));
  const std::string message =
      message_of([&] { build_revision(folder_.path(), "HEAD", options()); });
  EXPECT_HAS(message, "is in no git repository, so there is no other revision");
}

/// A submodule at the commit that the revision names, and one in it.
TEST_F(BaseBuildTest, SubmodulesAreThoseOfTheRevision) {
  const fs::path inner = folder_.path() / "inner", outer = folder_.path() / "outer";
  const auto in = [&](const fs::path& where, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", where.string(), "-c", "user.name=a", "-c",
                                         "user.email=a@b", "-c", "protocol.file.allow=always"});
    return must(arguments);
  };
  const auto library = [&](const fs::path& where, const std::string& word) {
    fs::create_directories(where);
    std::ofstream(where / "word.h") << "#define WORD \"" << word << "\"\n";
    in(where, {"init", "-q"});
    in(where, {"add", "."});
    in(where, {"commit", "-qm", word});
  };
  library(inner, "inner");
  library(outer, "old");
  in(outer, {"submodule", "-q", "add", inner.string(), "inner"});
  in(outer, {"commit", "-qm", "with inner"});
  const std::string text = R"(
#include <cstdio>
#if __has_include("third/outer/inner/word.h")
#include "third/outer/word.h"
#else
#define WORD "without"
#endif
int main() { std::puts(WORD); }
)";
  in(repository(), {"submodule", "-q", "add", outer.string(), "third/outer"});
  in(repository() / "third/outer", {"submodule", "-q", "update", "--init"});
  commit("with", text);
  library(outer, "newer");
  in(repository() / "third/outer", {"pull", "-q"});
  in(repository(), {"add", "third/outer"});
  commit("moved", text + "// moved");
  EXPECT_EQ(must({build("with").programs[0]}), "old\n");
  EXPECT_EQ(must({build("moved").programs[0]}), "newer\n");
  // A revision whose submodule's commit is not here; and a working tree without its files.
  const std::string lost = "1234567890123456789012345678901234567890";
  in(repository(), {"update-index", "--cacheinfo", "160000," + lost + ",third/outer"});
  in(repository(), {"commit", "-qm", "lost"});
  EXPECT_HAS(
      message_of([&] { build("HEAD"); }),
      "needs its submodule third/outer at 123456789012, which is not in this clone; run git");
  in(repository(), {"submodule", "-q", "deinit", "-f", "third/outer"});
  EXPECT_EQ(must({build("with").programs[0]}), "without\n");
  in(repository(), {"rm", "-q", "--cached", "third/outer"});
  EXPECT_HAS(message_of([&] { build("with"); }),
             "submodule third/outer, which is not in this clone");
}

/// A header, and a file that the program opens, which are in the working tree alone.
TEST_F(BaseBuildTest, FilesThatGitIgnoresAreSaid) {
  for (const char* generator : {"Unix Makefiles", "Ninja"}) {
    fs::remove_all(repository() / "build");
    fs::remove(repository() / "settings.local");
    fs::remove_all(repository() / "data");
    write(".gitignore", "/build/\n*.local\n");
    write("CMakeLists.txt", std::string(lists) +
                                "target_compile_definitions(tiny-bench PRIVATE "
                                "HERE=\"${PROJECT_SOURCE_DIR}\")\n");
    const auto text = [](const std::string& front, const std::string& file) {
      return front + "#include <cstdio>\nint main() { std::puts(std::fopen(\"" + file +
             "\", \"r\") ? \"1\" : \"0\"); }\n";
    };
    const auto built = [&](const std::string& bench) {
      write("bench.cpp", bench);
      git({"add", "bench.cpp", ".gitignore", "CMakeLists.txt"});
      git({"commit", "-q", "--allow-empty", "-m", "next"});
      must({"cmake", "-S", repository(), "-B", repository() / "build", "-G", generator});
      must({"cmake", "--build", repository() / "build"});
      return message_of([&] { build("HEAD"); });
    };
    EXPECT_EQ(built(text("", "/dev/null")), "no error") << generator;
    write("settings.local", "#define SETTING 1\n");
    EXPECT_HAS(built(text("#if __has_include(\"settings.local\")\n#include \"settings.local\"\n"
                          "#endif\n",
                          "/dev/null")),
               "reads settings.local, a file that git ignores; commit it");
    // By a path that all builds of all revisions have, and by one of this build.
    write("data/table.local", "7\n");
    EXPECT_EQ(built(text("", (repository() / "data/table.local").string())), "no error");
    EXPECT_HAS(built(text("", "\" HERE \"/data/table.local")),
               "reads data/table.local, a file that git ignores");
  }
}

TEST_F(BaseBuildTest, TheReasonIsNotCutOff) {
  const std::string message = [&] {
    write("CMakeLists.txt", std::string(lists) + "find_package(NoSuchPackage 7 REQUIRED)\n");
    commit("wanting");
    return message_of([&] { build("wanting"); });
  }();
  EXPECT_HAS(message,
             "does not build: CMake Error at CMakeLists.txt:8 (find_package): By not "
             "providing \"FindNoSuchPackage.cmake\"");
  write("CMakeLists.txt", lists);
  commit("unlinked", "void missing(int);\nint main() { missing(1); }\n");
  EXPECT_HAS(message_of([&] { build("unlinked"); }), "undefined reference to `missing(int)'");
  // ccache has the compiler name the file from the build folder.
  write("CMakeLists.txt", std::string(lists) + "message(\"../../tiny.cpp:7:1: error: odd\")\n" +
                              "message(FATAL_ERROR \"stopped\")\n");
  commit("relative");
  EXPECT_HAS(message_of([&] { build("relative"); }), "does not build: tiny.cpp:7:1: error: odd");
}

TEST_F(BaseBuildTest, NoSuchProgramIsToldApart) {
  BaseBuildOptions other = options();
  other.target = "later-bench";
  const std::string mistaken = message_of([&] { build_revision(repository(), "one", other); });
  EXPECT_HAS(mistaken, "--target later-bench: neither revision one");
  write("CMakeLists.txt", std::string(lists) + "add_custom_target(later-bench)\n");
  must({"cmake", repository() / "build"});
  EXPECT_THROW(build_revision(repository(), "one", other), NoSuchProgram);
  build("one");  // which needs no target, and hides none that is unknown
  other.target = "tiny-bench";
  EXPECT_TRUE(build_revision(repository(), "one", other).reused);
  other.target = "nosuch";
  EXPECT_HAS(message_of([&] { build_revision(repository(), "one", other); }),
             "--target nosuch: neither revision one");
  write("CMakeLists.txt", std::string(lists) + "add_library(gone absent.cpp)\n");
  commit("absent");
  EXPECT_THROW(
      {
        try {
          build("absent");
        } catch (const NoSuchProgram&) {
          FAIL() << "a file is absent, not the program";
        }
      },
      Error);
  const std::string gone(40, 'a');
  EXPECT_HAS(message_of([&] { build(gone); }), "as after a force-push");
}

TEST_F(BaseBuildTest, ShallowCloneSaysSo) {
  const fs::path clone = folder_.path() / "clone";
  must({"git", "clone", "-q", "--depth", "1", "file://" + repository().string(), clone});
  const std::string message = message_of([&] { build_revision(clone, "HEAD~1", options()); });
  EXPECT_HAS(message, "has no revision \"HEAD~1\": this clone is shallow");
  EXPECT_HAS(message, "--unshallow");
  EXPECT_EQ(must({build_revision(clone, "HEAD", options()).programs[0]}), "two said sweet sour\n");
}

TEST_F(BaseBuildTest, ARepositoryOfAnotherUserIsOne) {
  setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);
  const std::string message = message_of([&] { build("one"); });
  unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
  EXPECT_HAS(message,
             "which belongs to another user; run git config --global --add safe.directory " +
                 repository().string());
}

TEST_F(BaseBuildTest, WorksInsideAHookOfAnotherRepository) {
  setenv("GIT_DIR", "/nonexistent", 1);
  const BaseBuild base = build("one");
  unsetenv("GIT_DIR");
  EXPECT_EQ(must({base.programs[0]}), "one said sweet sour\n");
}

TEST_F(BaseBuildTest, ProjectInASubfolder) {
  write("sub/CMakeLists.txt", lists);
  write("sub/bench.cpp", program("below"));
  git({"add", "sub"});
  git({"commit", "-q", "-m", "sub"});
  const BaseBuild base = build_revision(repository() / "sub", "HEAD", options());
  EXPECT_EQ(must({base.programs[0]}), "below said sweet sour\n");
}

TEST_F(BaseBuildTest, OptionsOfABuild) {
  const fs::path file = folder_.path() / "CMakeCache.txt";
  const auto read = [&](const std::string& more) {
    std::ofstream(file) << "# comment\n//help: x=y\nCMAKE_HOME_DIRECTORY:INTERNAL=/a/src\n"
                           "CMAKE_CACHEFILE_DIR:INTERNAL=/a/src/out/gpu\n"
                           "CMAKE_GENERATOR:INTERNAL=Ninja\n"
                        << more;
    return read_build_options(file);
  };
  const BuildOptions options = read(
      "CMAKE_CXX_FLAGS:STRING=-O2 -DX=a:b\nCMAKE_CUDA_ARCHITECTURES:STRING=90\n"
      "CMAKE_CXX_COMPILER_LAUNCHER:UNINITIALIZED=ccache\nCMAKE_INSTALL_PREFIX:PATH=/usr\n"
      "CMAKE_PROJECT_NAME:STATIC=x\nMY_OPTION:BOOL=ON\nMY_DIR:PATH=/a/src/third\n"
      "FOUND_DIR:PATH=/usr/lib/found\nLOST_DIR:PATH=LOST_DIR-NOTFOUND\nMY_ADVANCED:INTERNAL=1\n");
  EXPECT_EQ(options.settings,
            (std::vector<std::string>{"CMAKE_CUDA_ARCHITECTURES:STRING=90",
                                      "CMAKE_CXX_COMPILER_LAUNCHER:UNINITIALIZED=ccache",
                                      "CMAKE_CXX_FLAGS:STRING=-O2 -DX=a:b",
                                      "FOUND_DIR:PATH=/usr/lib/found", "MY_OPTION:BOOL=ON"}));
  BuildOptions without = options;
  EXPECT_TRUE(without.switch_off("MY_OPTION"));
  EXPECT_FALSE(without.switch_off("MY_OPTION"));  // is off
  EXPECT_FALSE(without.switch_off("FOUND_DIR"));  // is no switch
  EXPECT_EQ(without.settings.back(), "MY_OPTION:BOOL=OFF");
  EXPECT_EQ(without.settings[3], options.settings[3]);
  EXPECT_NE(without.key(), options.key());
  EXPECT_EQ(options.build_of("/b"), "/b/out/gpu");
  EXPECT_EQ(options.key().size(), 16u);
  EXPECT_EQ(options.key(), read_build_options(file).key());
  // A compiler that is upgraded in place is another compiler.
  const fs::path compiler = folder_.path() / "c++";
  const std::string line = "CMAKE_CXX_COMPILER:FILEPATH=" + compiler.string() + "\n";
  std::ofstream(compiler) << "version 1";
  const std::string before = read(line).key();
  std::ofstream(compiler) << "version 10";
  EXPECT_NE(read(line).key(), before);

  std::ofstream(file) << "nothing of the kind\n";
  EXPECT_HAS(message_of([&] { read_build_options(file); }), "is not the CMake cache");
  EXPECT_HAS(message_of([&] { read_build_options(folder_.path() / "none"); }), "does not exist");
}

TEST(BaseBuild, SwitchesThatRowsDoNotNeed) {
  EXPECT_EQ(unneeded_switches({}).size(), 0u);
  const std::vector<std::string> cuda = {"RATCHET_CUDA"};
  EXPECT_EQ(unneeded_switches({"life/cpu/02_x", "life/opencl/01_x", "life/mpi/01_x/ranks:2"}),
            cuda);
  for (const char* needs : {"life/cuda/01_x", "tiny_mc/hybrid/01_x", "life/mpi/02_gpus/ranks:2"})
    EXPECT_EQ(unneeded_switches({"life/cpu/02_x", needs}).size(), 0u) << needs;
}

TEST(BaseBuild, ACommitIsNamedOnce) {
  const std::string commit = "0123456789abcdef0123456789abcdef01234567";
  EXPECT_EQ(named_commit("main", commit), "main (0123456789ab)");
  for (const std::string& digits : {commit, commit.substr(0, 7)})
    EXPECT_EQ(named_commit(digits, commit), "0123456789ab");
}

TEST(BaseBuild, FindsTheBuildOfTheRunningProgram) {
  const BuildOptions options = read_build_options(cache_of_this_build());
  EXPECT_TRUE(fs::equivalent(options.source, RATCHET_SOURCE_DIR));
}

}  // namespace
}  // namespace ratchet::gate
