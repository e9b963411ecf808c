// Compiles a small program with rows, for digests of theirs.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "perf/identity/digests/row_digest.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet::counters {

namespace fs = std::filesystem;
using RowSources = std::map<std::string, std::string>;

inline constexpr const char *first_compiler = "g++ -std=c++20 -O2",
                            *last_compiler = "clang++ -std=c++20 -O2";
inline const auto compilers =
    testing::Values(first_compiler, "g++ -std=c++20 -O3 -no-pie -fno-pie", last_compiler);

class CompiledRows : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string compiler(GetParam(), std::string_view(GetParam()).find(' '));
    if (!run_process({compiler, "--version"}, 20).ok()) GTEST_SKIP() << "no " << compiler;
  }
  RowDigests digests(const RowSources& sources, std::vector<std::string> order = {},
                     const std::string& flags = "") {
    const fs::path folder = scratch_.path() / std::to_string(++builds_);
    std::vector<fs::path> objects;
    for (const auto& [name, text] : sources) write_atomically(folder / name, text);
    if (order.empty())
      for (const auto& [name, text] : sources)
        if (name.ends_with(".cpp")) order.push_back(name);
    std::string link;
    for (const std::string& name : order) {
      const std::string key =
          sources.at("state.h") + sources.at("lib.h") + sources.at(name) + flags;
      auto [known, added] = compiled_.emplace(key, folder / (name + ".o"));
      if (added)
        run(fmt::format("{} {} -c {} -o {}", GetParam(), flags, (folder / name).string(),
                        known->second.string()));
      objects.push_back(known->second);
      if (name.starts_with("archived")) {
        objects.back() = folder / (name + ".a");
        run(fmt::format("ar rcs {} {}", objects.back().string(), known->second.string()));
      }
      link += " " + objects.back().string();
    }
    const fs::path program = folder / "program";
    run(fmt::format("{}{} -o {}", GetParam(), link, program.string()));
    return row_digests(program, {objects, options_}, functions_);
  }
  static void run(const std::string& command) {
    const ProcessResult result = run_process({"sh", "-c", command}, 600);
    ASSERT_TRUE(result.ok()) << command << "\n" << result.errors;
  }

  std::string options_;
  std::map<RowId, std::set<std::string>> functions_ = {{"own", {"_Z3ownRN9benchmark5StateE"}},
                                                       {"other", {"_Z5otherRN9benchmark5StateE"}}};
  ScratchFolder scratch_;
  int builds_ = 0;
  std::map<std::string, fs::path> compiled_;
};

struct RowEdit {
  const char *file, *from, *to;
};

}  // namespace ratchet::counters
