// Who may include whom: the direction of the house, read from the #include lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "perf/support/files.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

/// The rooms of perf, each of which may include those before it.
const std::vector<std::string> perf_rooms = {
    "support", "stats", "timing", "limits", "baseline", "doctor", "counters", "explain",
    "history", "gate",  "bisect", "report", "run",      "bench",  "cli"};
/// What perf may see of correctness.
const char* const quick_check = "correctness/check.h";

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

std::size_t rank(const fs::path& file) {
  const auto place = std::find(perf_rooms.begin(), perf_rooms.end(), part(file, 1));
  return static_cast<std::size_t>(place - perf_rooms.begin());
}

bool allowed(const Include& include) {
  const std::string from = part(include.file, 0), to = part(include.included, 0);
  if (from == "reference") return to == "reference";
  if (from == "kernels") return to == "kernels" || to == "reference";
  if (from == "correctness") return true;
  if (to == "correctness") return include.included == quick_check;
  if (to != "perf") return to == "kernels";
  return rank(include.included) <= rank(include.file);
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

/// The folders of perf of which each includes, through others perhaps, itself: empty where they can
/// be laid in an order, as folders inside a room must be, too.
std::set<std::string> circular_folders(const std::vector<Include>& includes) {
  std::map<std::string, std::set<std::string>> needs;
  for (const Include& each : includes) {
    const std::string from = each.file.parent_path(), to = each.included.parent_path();
    if (part(each.file, 0) == "perf" && part(each.included, 0) == "perf" && from != to)
      needs[from].insert(to);
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

TEST(Rooms, IncludesGoOneWay) {
  const std::vector<Include> all = all_includes();
  EXPECT_GT(all.size(), 500u);
  for (const std::string& line : wrong(all))
    ADD_FAILURE() << line << ", against the order of the rooms (perf_rooms in rooms_test.cpp)";
}

TEST(Rooms, NoFoldersOfPerfIncludeEachOther) {
  EXPECT_EQ(circular_folders(all_includes()), std::set<std::string>{});
}

TEST(Rooms, ACircleOfFoldersIsSeen) {
  const std::vector<Include> line = {{"perf/gate/run/a.h", 1, "perf/gate/rule/b.h"},
                                     {"perf/gate/rule/b.h", 1, "perf/stats/c.h"},
                                     {"perf/gate/run/a.h", 2, "perf/gate/run/d.h"}};
  EXPECT_TRUE(circular_folders(line).empty());
  std::vector<Include> circle = line;
  circle.push_back({"perf/stats/c.h", 1, "perf/gate/run/a.h"});
  EXPECT_EQ(circular_folders(circle).size(), 3u);
}

TEST(Rooms, EveryRoomOfPerfHasItsPlace) {
  const fs::path perf = fs::path(RATCHET_SOURCE_DIR) / "perf";
  for (const auto& entry : fs::directory_iterator(perf)) {
    if (!entry.is_directory() && !is_source(entry.path())) continue;
    EXPECT_NE(std::find(perf_rooms.begin(), perf_rooms.end(), entry.path().filename()),
              perf_rooms.end())
        << entry.path() << " is in no place of the order in rooms_test.cpp";
  }
}

/// Every name in "x/y.h" exists: an include that only a search path resolves would not be seen.
TEST(Rooms, IncludesNameTheirFilesFromTheRoot) {
  const fs::path root = RATCHET_SOURCE_DIR;
  for (const Include& each : all_includes()) {
    const bool generated =
        each.included.extension() == ".h" && each.included.stem().extension() == ".cl";
    EXPECT_TRUE(generated || fs::exists(root / each.included)) << each.file << ":" << each.line;
  }
}

TEST(Rooms, AWrongIncludeIsSeen) {
  const auto is_wrong = [](const char* file, const char* line) {
    const auto includes = includes_of(file, line);
    EXPECT_EQ(includes.size(), 1u) << line;
    return !wrong(includes).empty();
  };
  EXPECT_TRUE(is_wrong("perf/support/x.h", "#include \"perf/gate/run/gate.h\""));
  EXPECT_TRUE(is_wrong("perf/history/x.cpp", "  # include  \"perf/gate/run/session.h\"  // why"));
  EXPECT_TRUE(is_wrong("perf/gate/run/x.cpp", "#include \"perf/report/tables.h\""));
  EXPECT_TRUE(is_wrong("perf/bench/x.cpp", "#include \"correctness/support/finding.h\""));
  EXPECT_TRUE(is_wrong("perf/bench/x.cpp", "#include \"reference/life.h\""));
  EXPECT_TRUE(is_wrong("kernels/life/x.cu", "#include \"perf/support/files.h\""));
  EXPECT_TRUE(is_wrong("reference/life.cpp", "#include \"kernels/life/life.h\""));
  EXPECT_FALSE(is_wrong("perf/bench/x.cpp", "#include \"correctness/check.h\""));
  EXPECT_FALSE(is_wrong("perf/gate/run/x.cpp", "#include \"perf/gate/rule/rule.h\""));
  EXPECT_FALSE(is_wrong("perf/cli/x.cpp", "#include \"perf/report/tables.h\""));
  EXPECT_FALSE(is_wrong("reference/life.cpp", "#include \"reference/life.h\""));
}

}  // namespace
}  // namespace ratchet
