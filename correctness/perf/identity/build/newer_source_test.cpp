// A program that is older than what it is made of, by builds of the real cmake.
#include "perf/identity/build/newer_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

// Trying out the compiler would take most of the test.
const char* const lists = R"(cmake_minimum_required(VERSION 3.20)
set(CMAKE_CXX_COMPILER_FORCED TRUE)
project(tiny LANGUAGES CXX)
get_filename_component(top "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(top "${top}" DIRECTORY)
if(top MATCHES "/sub$")
  get_filename_component(top "${top}" DIRECTORY)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_library(archived STATIC ${top}/parts/archived.cpp)
add_library(shared SHARED ${top}/parts/shared.cpp)
set_target_properties(shared PROPERTIES VERSION 1.2 SOVERSION 1)
add_library(object OBJECT ${top}/parts/object.cpp)
add_executable(tiny-bench ${top}/bench.cpp $<TARGET_OBJECTS:object>)
set_target_properties(tiny-bench PROPERTIES OUTPUT_NAME "the bench" RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/perf)
target_link_libraries(tiny-bench archived shared)
add_executable(tiny-test ${top}/test.cpp)
)";

class NewerSource : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* list : {"CMakeLists.txt", "sub/CMakeLists.txt"}) write(list, lists);
    fs::create_directory(top() / ".git");
    for (const std::string part : {"archived", "shared", "object"})
      write("parts/" + part + ".cpp",
            "#include \"" + part + " head.h\"\nint " + part + "() { return WORD; }\n");
    for (const char* head : {"archived", "shared", "object"})
      write(std::string("parts/") + head + " head.h", "#define WORD 1\n");
    write("bench.cpp",
          "#include <vector>\nint archived(); int shared(); int object();\n"
          "int main() { return archived() + shared() + object(); }\n");
    write("test.cpp", "int main() {}\n");
    write("README.md", "");
  }
  fs::path top() const { return fs::canonical(folder_.path()); }
  void write(const fs::path& name, const std::string& text) {
    fs::create_directories((top() / name).parent_path());
    std::ofstream(top() / name) << text;
  }
  static void must(const std::vector<std::string>& command) {
    const ProcessResult result = run_process(command, 100);
    ASSERT_TRUE(result.ok()) << command[0] << ": " << result.describe() << result.output;
  }

  /// Edits each file and takes the edit back.
  void check(const fs::path& source, const fs::path& build,
             const std::vector<std::string>& arguments) {
    SCOPED_TRACE(build);
    std::vector<std::string> configure = {"cmake", "-S", top() / source, "-B", top() / build};
    configure.insert(configure.end(), arguments.begin(), arguments.end());
    must(configure);
    const fs::path program = top() / build / "perf" / "the bench";
    EXPECT_EQ(newer_source(program), "") << "it was never built";
    must({"cmake", "--build", top() / build});
    EXPECT_EQ(newer_source(program), "");
    const auto named_after_an_edit_of = [&](const fs::path& file) {
      const auto before = fs::last_write_time(file);
      fs::last_write_time(file, fs::file_time_type::clock::now());
      const fs::path found = newer_source(program);
      fs::last_write_time(file, before);
      return found;
    };
    for (const char* no_part : {"test.cpp", "README.md"})
      EXPECT_EQ(named_after_an_edit_of(top() / no_part), "");
    for (const char* part :
         {"bench.cpp", "parts/archived.cpp", "parts/archived head.h", "parts/shared.cpp",
          "parts/shared head.h", "parts/object.cpp", "parts/object head.h"})
      EXPECT_EQ(named_after_an_edit_of(top() / part), top() / part);
    const fs::path list = (top() / source / "CMakeLists.txt").lexically_normal();
    EXPECT_EQ(named_after_an_edit_of(list), list);
    fs::create_symlink(program, top() / build / "link");
    EXPECT_EQ(newer_source(top() / build / "link"), "");
    EXPECT_EQ(newer_source(top() / build / "perf" / "other"), "");
  }

  ScratchFolder folder_;
};

TEST_F(NewerSource, IsNamedForNinja) { check(".", "build", {"-G", "Ninja"}); }

TEST_F(NewerSource, IsNamedForMake) { check(".", "build", {"-G", "Unix Makefiles"}); }

TEST_F(NewerSource, IsNamedWhereCmakeListsTheDependencies) {
  check(".", "build", {"-G", "Unix Makefiles", "-DCMAKE_DEPENDS_USE_COMPILER=OFF"});
}

TEST_F(NewerSource, IsNamedForAProjectInASubfolder) {
  check("sub", "sub/ninja", {"-G", "Ninja"});
  check("sub", "sub/make", {"-G", "Unix Makefiles"});
}

TEST_F(NewerSource, IsNamedForABuildInTheSource) { check(".", ".", {"-G", "Unix Makefiles"}); }

TEST_F(NewerSource, OfACopiedBuildFolderIsNoneOfAnotherCheckout) {
  must({"cmake", "-S", top(), "-B", top() / "build"});
  must({"cmake", "--build", top() / "build"});
  fs::copy(top() / "build", top() / "copy", fs::copy_options::recursive);
  for (const char* list : {"CMakeLists.txt", "bench.cpp"}) write(list, "#");
  EXPECT_NE(newer_source(top() / "build/perf/the bench"), "");
  EXPECT_EQ(newer_source(top() / "copy/perf/the bench"), "");
}

TEST_F(NewerSource, OtherOptionsOfTheCompilerAreNamed) {
  for (const std::string generator : {"Ninja", "Unix Makefiles"}) {
    SCOPED_TRACE(generator);
    const fs::path build = top() / generator, program = build / "perf" / "the bench";
    const auto configure = [&](const std::string& flags) {
      must({"cmake", "-G", generator, "-S", top(), "-B", build, "-DCMAKE_CXX_FLAGS=" + flags});
    };
    configure("");
    must({"cmake", "--build", build});
    configure("");
    EXPECT_EQ(newer_source(program), "") << "the same options again";
    configure("-O1");
    EXPECT_EQ(newer_source(program).filename(),
              generator == "Ninja" ? "build.ninja" : "flags.make");
    must({"cmake", "--build", build});
    EXPECT_EQ(newer_source(program), "");
  }
}

TEST_F(NewerSource, OfAProgramThatALibraryOvertookIsNamedForMake) {
  const fs::path build = top() / "build", program = build / "perf" / "the bench";
  must({"cmake", "-G", "Unix Makefiles", "-S", top(), "-B", build});
  must({"cmake", "--build", build});
  write("parts/archived.cpp", "int archived() { return 2; }\n");
  must({"cmake", "--build", build, "--target", "archived"});
  EXPECT_EQ(newer_source(program), top() / "parts/archived.cpp");
  must({"cmake", "--build", build});
  EXPECT_EQ(newer_source(program), "");
  write("parts/shared.cpp", "int shared() { return 2; }\n");
  must({"cmake", "--build", build, "--target", "shared"});
  EXPECT_EQ(newer_source(program), "") << "the program loads what was built";
}

TEST_F(NewerSource, NothingIsGuessedOfOtherBuilds) {
  EXPECT_EQ(newer_source("/bin/sh"), "");
  const fs::path build = top() / "build";
  write("build/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=" + top().string() +
                                    "\nCMAKE_CACHEFILE_DIR:INTERNAL=" + build.string() +
                                    "\nCMAKE_GENERATOR:INTERNAL=Unix Makefiles\n");
  write("build/program", "");
  write("bench.cpp", "int main() {}\n");
  EXPECT_EQ(newer_source(build / "program"), "");
}

}  // namespace
}  // namespace ratchet
