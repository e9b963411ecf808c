#include "perf/study/cli/commands.h"

#include <set>

#include "kernels/contract/stage.h"
#include "perf/output/page/page.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/process.h"
#include "perf/support/suggestion.h"

namespace ratchet {
namespace {

const CommandGroupRegistration commands(
    {"The study of the five articles",
     {add_tables_command, add_reproduce_command, add_list_command, add_profile_command,
      add_peaks_command, add_timesink_command, add_metrics_command, add_run_command}});
const auto articles = report::write_further_pages = write_article_pages;

}  // namespace

void set_given(Parameters& parameters, const std::vector<std::string>& given,
               const std::string& owner) {
  std::set<std::string> names;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    if (equals == each.npos)
      throw Error("'" + each + "' is not a parameter of " + owner + "; write name=value");
    if (!names.insert(each.substr(0, equals)).second)
      throw Error(each.substr(0, equals) + " is given twice; " + owner + " takes one value of it");
    parameters.set(each.substr(0, equals), std::string_view(each).substr(equals + 1));
  }
}

std::vector<const Stage*> matching_stages(const std::string& filter) try {
  return match_stages(filter);
} catch (const Error& error) {
  std::vector<std::string> names;
  for (const Stage* stage : registry()) names.push_back(stage->info().name);
  throw Error(error.what() + did_you_mean_row(filter, names));
}

const Stage& one_stage(const std::string& filter) {
  const std::vector<const Stage*> stages = matching_stages(filter);
  if (stages.size() > 1)
    throw Error("'" + filter + "' selects " + std::to_string(stages.size()) + " stages, of them " +
                stages[0]->info().name + " and " + stages[1]->info().name + "; name one");
  return *stages.front();
}

std::filesystem::path published_folder(std::filesystem::path& baselines) {
  namespace fs = std::filesystem;
  if (baselines == "baselines" && !fs::exists(baselines / "published"))
    for (fs::path at = own_executable().parent_path(); at.has_relative_path();
         at = at.parent_path())
      if (fs::exists(at / "baselines" / "published")) {
        baselines = at / "baselines";
        break;
      }
  return baselines / "published";
}

std::filesystem::path published_file(const std::string& family, std::filesystem::path& baselines) {
  namespace fs = std::filesystem;
  const fs::path folder = published_folder(baselines), file = folder / (family + ".json");
  if (fs::exists(file)) return file;
  std::string known;
  for (const fs::path& each : sorted_entries(folder))
    known += (known.empty() ? "" : ", ") + each.stem().string();
  throw Error("there are no published figures of a family \"" + family + "\": " + file.string() +
              " does not exist; " +
              (known.empty() ? "name the folder of a checkout's baselines (--baseline-dir)"
                             : "there are " + known));
}

}  // namespace ratchet
