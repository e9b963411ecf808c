#include "kernels/stage.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <set>

#include "kernels/support/cuda_device.h"
#include "kernels/support/error.h"
#include "kernels/support/opencl_device.h"
#include "kernels/support/row_filter.h"

namespace ratchet {
namespace {

// A function-local static, so that registrations of other files find it built whatever the order.
std::vector<std::unique_ptr<Stage>>& owned_stages() {
  static std::vector<std::unique_ptr<Stage>> stages;
  return stages;
}

std::vector<const Stage*>& sorted_stages() {
  static std::vector<const Stage*> stages;
  return stages;
}

[[noreturn]] void refuse_registration(const std::string& name, const char* why) {
  std::fprintf(stderr, "ratchet: stage '%s' cannot be registered: %s\n", name.c_str(), why);
  std::abort();
}

bool well_formed(const std::string& name, Backend backend) {
  static const std::regex form("[a-z0-9_]+/([a-z]+)/[0-9]{2}[a-z]?_[a-z0-9_]+");
  std::smatch match;
  return std::regex_match(name, match, form) && match[1].str() == to_string(backend);
}

std::string known_names_of_last_part(const std::string& pattern) {
  // Help for a typing mistake: the stages of the family named, or the families.
  std::string names;
  const std::string family = family_of(pattern);
  for (const Stage* stage : registry())
    if (stage->info().family() == family) names += (names.empty() ? "" : ", ") + stage->info().name;
  if (!names.empty()) return "; the family has " + names;
  for (const Stage* stage : registry()) {
    const std::string name = stage->info().family();
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  return "; families are " + names + ", and 'ratchet list' shows all";
}

}  // namespace

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::cpu:
      return "cpu";
    case Backend::cuda:
      return "cuda";
    case Backend::opencl:
      return "opencl";
    case Backend::hybrid:
      return "hybrid";
  }
  return "unknown";
}

std::string StageInfo::family() const { return family_of(name); }

Availability Stage::availability() const {
  if (info_.backend == Backend::cuda) return cuda_availability();
  if (info_.backend == Backend::opencl) return opencl_availability();
  return Availability::yes();
}

const std::vector<const Stage*>& registry() { return sorted_stages(); }

const Stage* find_stage(std::string_view name) {
  for (const Stage* stage : registry())
    if (stage->info().name == name) return stage;
  return nullptr;
}

std::vector<const Stage*> match_stages(const std::string& filter) {
  std::set<std::string> names;
  for (const Stage* stage : registry()) names.insert(stage->info().name);
  const RowFilter wanted(filter, names);
  std::vector<const Stage*> matches;
  for (const Stage* stage : registry())
    if (wanted.selects(stage->info().name)) matches.push_back(stage);
  if (matches.empty())
    throw Error("no stage matches '" + filter + "'" + known_names_of_last_part(filter));
  return matches;
}

std::unique_ptr<Instance> Stage::prepare_input(const Parameters&,
                                               const std::filesystem::path& file) const {
  throw Error(info().name + " reads no input file; leave " + file.string() + " out");
}

Registration::Registration(std::unique_ptr<Stage> stage) {
  const StageInfo& info = stage->info();
  if (!well_formed(info.name, info.backend))
    refuse_registration(info.name, "the name must read family/backend/NN_idea");
  if (find_stage(info.name)) refuse_registration(info.name, "the name is taken");
  if (info.unit.empty() || info.summary.empty() || info.source.empty())
    refuse_registration(info.name, "summary, source and unit must be given");
  auto& sorted = sorted_stages();
  const auto place = std::lower_bound(
      sorted.begin(), sorted.end(), info.name,
      [](const Stage* other, const std::string& name) { return other->info().name < name; });
  sorted.insert(place, stage.get());
  owned_stages().push_back(std::move(stage));
}

}  // namespace ratchet
