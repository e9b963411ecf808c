// Which layer may include which, read from the #include lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "correctness/support/expect_has.h"
#include "perf/support/files.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

/// The layers, each of which may include those before it and itself. A file belongs to the longest
/// of these folders that it lies below.
const std::vector<std::string> layers = {
    "perf/support", "perf/stats", "kernels/contract", "kernels/support", "perf/identity",
    "perf/measure", "perf/gate",  "perf/output",      "perf/cli",        "perf/study"};
/// Next to the layers: what each of these folders may include besides itself.
const std::map<std::string, std::vector<std::string>> others = {
    {"reference", {}},
    {"kernels", {"reference", "kernels/contract", "kernels/support", "perf/support/error.h"}}};

struct Include {
  fs::path file;  ///< relative to the root
  int line = 0;
  fs::path included;
};

bool is_source(const fs::path& file) {
  static const std::set<std::string> endings = {".h", ".cpp", ".cu", ".cuh"};
  return endings.contains(file.extension().string());
}

/// The lines of a file that include others of the project.
std::vector<Include> includes_of(const fs::path& file, const std::string& text) {
  static const std::regex form(
      R"re(\s*#\s*include\s*"((?:reference|kernels|perf|correctness)/[^"]*)".*)re");
  std::vector<Include> found;
  std::istringstream lines(text);
  int number = 0;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::regex_match(line, match, form)) found.push_back({file, number, match[1].str()});
  }
  return found;
}

std::string part(const fs::path& path, int index) {
  return std::next(path.begin(), index)->string();
}

/// The place of a file's layer in the order; layers.size() where it lies in none.
std::size_t rank(const fs::path& file) {
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (file.string().starts_with(layers[i] + "/")) return i;
  return layers.size();
}

bool allowed(const Include& include) {
  const std::string from = part(include.file, 0);
  if (from == "correctness") return true;
  const std::size_t own = rank(include.file), included = rank(include.included);
  // The contract and its support know nothing of perf but errors.
  const bool of_kernels = from == "kernels";
  if (of_kernels && part(include.included, 0) == "perf")
    return include.included == "perf/support/error.h";
  if (own < layers.size()) return included <= own;
  const std::string to = include.included.string();
  const auto found = others.find(from);
  if (found == others.end()) return false;
  return to.starts_with(from + "/") ||
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const std::string& folder) { return to.starts_with(folder); });
}

/// "perf/support/x.h:3 includes perf/gate/y.h", for every include against the direction.
std::vector<std::string> wrong(const std::vector<Include>& includes) {
  std::vector<std::string> lines;
  for (const Include& each : includes)
    if (!allowed(each))
      lines.push_back(each.file.string() + ":" + std::to_string(each.line) + " includes " +
                      each.included.string());
  return lines;
}

/// The folders of the layers of which each includes, through others perhaps, itself: empty where
/// they can be laid in an order, as folders inside a room must be, too.
std::set<std::string> circular_folders(const std::vector<Include>& includes) {
  std::map<std::string, std::set<std::string>> needs;
  for (const Include& each : includes) {
    const std::string from = each.file.parent_path(), to = each.included.parent_path();
    const bool both = rank(each.file) < layers.size() && rank(each.included) < layers.size();
    if (both && from != to) needs[from].insert(to);
  }
  // What needs nothing that is left is taken away, again and again.
  for (bool taken = true; taken;) {
    taken = std::erase_if(needs, [&](const auto& folder) {
      return std::none_of(folder.second.begin(), folder.second.end(),
                          [&](const std::string& other) { return needs.contains(other); });
    });
  }
  std::set<std::string> left;
  for (const auto& [folder, others] : needs) left.insert(folder);
  return left;
}

std::vector<Include> all_includes() {
  const fs::path root = RATCHET_SOURCE_DIR;
  std::vector<Include> all;
  for (const char* top : {"reference", "kernels", "perf", "correctness"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      const fs::path file = fs::relative(entry.path(), root);
      // Not the sources of projects that tests make.
      if (file.string().find("/data/") != std::string::npos) continue;
      for (Include& each : includes_of(file, read_text(entry.path())))
        all.push_back(std::move(each));
    }
  return all;
}

TEST(Layers, IncludesGoOneWay) {
  const std::vector<Include> all = all_includes();
  EXPECT_GT(all.size(), 500u);
  for (const std::string& line : wrong(all))
    ADD_FAILURE() << line << ", against the order of the layers (layers in layers_test.cpp)";
}

TEST(Layers, NoTwoFoldersIncludeEachOther) {
  EXPECT_EQ(circular_folders(all_includes()), std::set<std::string>{});
}

TEST(Layers, ACircleOfFoldersIsSeen) {
  const std::vector<Include> line = {{"perf/gate/run/a.h", 1, "perf/gate/rule/b.h"},
                                     {"perf/gate/rule/b.h", 1, "perf/stats/c.h"},
                                     {"perf/gate/run/a.h", 2, "perf/gate/run/d.h"}};
  EXPECT_TRUE(circular_folders(line).empty());
  std::vector<Include> circle = line;
  circle.push_back({"perf/stats/c.h", 1, "perf/gate/run/a.h"});
  EXPECT_EQ(circular_folders(circle).size(), 3u);
}

/// The folders of perf in the order of its README's table, which names no folder for the files
/// directly in a layer's.
std::vector<fs::path> folders_of_readme() {
  static const std::regex row(R"(\| *([^|]*)\| *([^|]*)\|.*)"), name("`([a-z_/]+)/`");
  std::istringstream lines(read_text(fs::path(RATCHET_SOURCE_DIR) / "perf/README.md"));
  std::vector<fs::path> folders;
  fs::path layer;
  std::smatch cells, found;
  for (std::string line; std::getline(lines, line) && line != "## Where things are added";) {
    if (!std::regex_match(line, cells, row)) continue;
    const std::string first = cells[1], second = cells[2];
    if (std::regex_search(first, found, name)) layer = fs::path("perf") / found[1].str();
    std::sregex_iterator each(second.begin(), second.end(), name), end;
    if (each == end && !layer.empty()) folders.push_back(layer);
    for (; each != end; ++each) folders.push_back(layer / (*each)[1].str());
  }
  return folders;
}

TEST(Layers, ReadmeNamesEachFolderAfterThoseThatItIncludes) {
  const fs::path root = RATCHET_SOURCE_DIR;
  const std::vector<fs::path> folders = folders_of_readme();
  const auto place = [&](const fs::path& folder) {
    return std::find(folders.begin(), folders.end(), folder) - folders.begin();
  };
  for (const auto& entry : fs::recursive_directory_iterator(root / "perf")) {
    const fs::path file = fs::relative(entry.path(), root);
    if (entry.is_directory() || file.extension() == ".md" || file.filename() == "CMakeLists.txt")
      continue;
    EXPECT_LT(place(file.parent_path()), std::ssize(folders)) << file << ": perf/README.md";
  }
  for (const fs::path& folder : folders) EXPECT_TRUE(fs::is_directory(root / folder)) << folder;
  for (const Include& each : all_includes()) {
    if (part(each.file, 0) != "perf" || part(each.included, 0) != "perf") continue;
    EXPECT_LE(place(each.included.parent_path()), place(each.file.parent_path()))
        << each.file << ":" << each.line << " includes " << each.included
        << ", of a later folder in the table of perf/README.md";
  }
}

/// A failing test leads to the code: correctness/perf/X holds the tests of perf/X.
TEST(Layers, TestsMirrorPerf) {
  const fs::path root = RATCHET_SOURCE_DIR;
  const std::set<std::string> of_tests_alone = {"data", "tools", "fuzz", "stand_in", "browser"};
  const std::string page = read_text(root / "correctness/README.md");
  for (const std::string& name : of_tests_alone) EXPECT_HAS(page, "`" + name + "/`");
  for (auto entry = fs::recursive_directory_iterator(root / "correctness/perf");
       entry != fs::recursive_directory_iterator(); ++entry) {
    if (!entry->is_directory()) continue;
    if (of_tests_alone.contains(entry->path().filename().string())) {
      entry.disable_recursion_pending();
      continue;
    }
    const fs::path folder = fs::relative(entry->path(), root / "correctness");
    EXPECT_TRUE(fs::is_directory(root / folder)) << "there is no " << folder;
  }
}

/// Every name in "x/y.h" exists: an include that only a search path resolves would not be seen.
TEST(Layers, IncludesNameTheirFilesFromTheRoot) {
  const fs::path root = RATCHET_SOURCE_DIR;
  for (const Include& each : all_includes()) {
    const bool generated =
        each.included.extension() == ".h" && each.included.stem().extension() == ".cl";
    EXPECT_TRUE(generated || fs::exists(root / each.included)) << each.file << ":" << each.line;
  }
}

TEST(Layers, AWrongIncludeIsSeen) {
  const auto is_wrong = [](const char* file, const char* line) {
    const auto includes = includes_of(file, line);
    EXPECT_EQ(includes.size(), 1u) << line;
    return !wrong(includes).empty();
  };
  EXPECT_TRUE(is_wrong("perf/support/x.h", "#include \"perf/gate/run/run.h\""));
  EXPECT_TRUE(is_wrong("perf/gate/x.cpp", "  # include  \"perf/output/delivery.h\"  // why"));
  EXPECT_TRUE(is_wrong("perf/cli/x.cpp", "#include \"perf/study/report/tables.h\""));
  EXPECT_TRUE(is_wrong("perf/measure/bench/x.cpp", "#include \"perf/gate/baseline/store.h\""));
  EXPECT_TRUE(is_wrong("perf/measure/x.cpp", "#include \"correctness/support/error_of.h\""));
  EXPECT_TRUE(is_wrong("perf/measure/x.cpp", "#include \"reference/life.h\""));
  EXPECT_TRUE(is_wrong("perf/gate/x.cpp", "#include \"kernels/life/life.h\""));
  EXPECT_TRUE(is_wrong("kernels/life/x.cu", "#include \"perf/support/files.h\""));
  EXPECT_TRUE(is_wrong("kernels/contract/x.cpp", "#include \"kernels/support/cuda_device.h\""));
  EXPECT_TRUE(is_wrong("kernels/contract/x.cpp", "#include \"perf/support/files.h\""));
  EXPECT_TRUE(is_wrong("reference/life.cpp", "#include \"kernels/life/life.h\""));
  EXPECT_FALSE(is_wrong("kernels/contract/x.cpp", "#include \"perf/support/error.h\""));
  EXPECT_FALSE(is_wrong("kernels/life/x.cu", "#include \"kernels/support/cuda_check.h\""));
  EXPECT_FALSE(is_wrong("perf/gate/run/x.cpp", "#include \"perf/gate/rule/rule.h\""));
  EXPECT_FALSE(is_wrong("perf/study/x.cpp", "#include \"perf/output/page/page.h\""));
  EXPECT_FALSE(is_wrong("reference/life.cpp", "#include \"reference/life.h\""));
}

}  // namespace
}  // namespace ratchet
