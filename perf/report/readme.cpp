#include "perf/report/readme.h"

#include <fmt/format.h>

#include "kernels/support/error.h"
#include "perf/report/tables.h"

namespace ratchet::report {
namespace {

const std::string begin_mark = "<!-- ratchet:tables:begin -->";
const std::string end_mark = "<!-- ratchet:tables:end -->";

std::size_t only_place(const std::string& text, const std::string& mark, const std::string& file) {
  const std::size_t place = text.find(mark);
  if (place == std::string::npos) throw Error(fmt::format("{} has no mark {}", file, mark));
  if (text.find(mark, place + 1) != std::string::npos)
    throw Error(fmt::format("{} has the mark {} twice", file, mark));
  return place;
}

}  // namespace

bool has_marks(const std::string& readme) {
  return readme.find(begin_mark) != std::string::npos && readme.find(end_mark) != std::string::npos;
}

std::string readme_block(const std::filesystem::path& baselines) {
  std::string text;
  for (const Published& published : read_all_published(baselines / "published")) {
    for (const Machine& machine : machines_with(published.family, baselines, {})) {
      const std::string table = ladder(published, machine);
      if (!table.empty())
        text += fmt::format("\n**{}** on {}\n\n{}", published.family, machine.name, table);
    }
  }
  return text.empty() ? "\nNo machine has stored figures yet.\n" : text;
}

std::string replace_block(const std::string& readme, const std::string& block,
                          const std::string& file) {
  const std::size_t begin = only_place(readme, begin_mark, file) + begin_mark.size();
  const std::size_t end = only_place(readme, end_mark, file);
  if (end < begin) throw Error(file + " has the marks of the tables in the wrong order");
  return readme.substr(0, begin) + "\n" + block + "\n" + readme.substr(end);
}

}  // namespace ratchet::report
