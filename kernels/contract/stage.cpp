#include "kernels/contract/stage.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <set>
#include <thread>

#include "kernels/contract/row_filter.h"
#include "perf/support/error.h"

namespace ratchet {
namespace {

// A function-local static, so that registrations of other files find it in any order.
std::vector<std::unique_ptr<Stage>>& owned_stages() {
  static std::vector<std::unique_ptr<Stage>> stages;
  return stages;
}

std::vector<const Stage*>& sorted_stages() {
  static std::vector<const Stage*> stages;
  return stages;
}

[[noreturn]] void refuse_registration(const std::string& name, const std::string& why) {
  std::fprintf(stderr, "ratchet: stage '%s' cannot be registered: %s\n", name.c_str(), why.c_str());
  std::abort();
}

bool well_formed(const std::string& name, Backend backend) {
  static const std::regex form("[a-z0-9_]+/([a-z]+)/[0-9]{2}[a-z]?_[a-z0-9_]+");
  std::smatch match;
  return std::regex_match(name, match, form) && match[1].str() == to_string(backend);
}

/// A fault of the parameters that the stage's facts name, or "".
std::string complaint_of_parameters(const StageInfo& info) {
  const Parameters declared(info.name, info.parameters);
  for (const auto& [field, parameter] :
       {std::pair<const char*, std::string>("size", info.size), {"threads", info.threads}})
    if (!parameter.empty() && !declared.has(parameter))
      return std::string(field) + " names '" + parameter + "', which is not one of its parameters";
  try {
    Parameters(declared).set(info.sanitizer_run);
    for (const auto* points : {&info.sweep, &info.survey})
      for (const ParameterPoint& point : *points) Parameters(declared).set(point);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string known_names_of_last_part(const std::string& pattern) {
  // Help for a typing error: the stages of the named family, or the families.
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

std::string_view to_string_of_process(Backend backend) {
  switch (backend) {
    case Backend::cpu:
      return "cpu";
    case Backend::cuda:
      return "cuda";
    case Backend::opencl:
      return "opencl";
    case Backend::hybrid:
      return "hybrid";
    case Backend::mpi:
      break;
  }
  return "unknown";
}

Backend backend_of_process(const std::string& name) {
  const std::size_t start = name.find('/') + 1;
  for (const Backend backend : {Backend::cuda, Backend::opencl, Backend::hybrid})
    if (name.substr(start, name.find('/', start) - start) == to_string_of_process(backend))
      return backend;
  return Backend::cpu;
}

std::string_view to_string(Backend backend) {
  return backend == Backend::mpi ? "mpi" : to_string_of_process(backend);
}

Backend backend_of(const std::string& name) {
  const std::size_t end_of_family = name.find('/');
  const bool ranked = end_of_family != name.npos && name.compare(end_of_family, 5, "/mpi/") == 0;
  return ranked ? Backend::mpi : backend_of_process(name);
}

Parameter threads_parameter() {
  const std::uint64_t processors = std::clamp(std::thread::hardware_concurrency(), 1u, 1024u);
  return {"threads", processors, 1, 1024, "threads that work at once"};
}

std::uint64_t threads_of(const StageInfo& info, const Parameters& parameters) {
  return info.threaded() ? parameters.at(info.threads) : 1;
}

std::string StageInfo::family() const { return family_of(name); }

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

std::unique_ptr<Instance> Stage::prepare_input(const Parameters&, const std::string& file) const {
  throw Error(info().name + " reads no input file; leave " + file + " out");
}

Registration::Registration(std::unique_ptr<Stage> stage) {
  const StageInfo& info = stage->info();
  if (!well_formed(info.name, info.backend))
    refuse_registration(info.name, "the name must read family/backend/NN_idea");
  if (find_stage(info.name)) refuse_registration(info.name, "the name is taken");
  if (info.unit.empty() || info.summary.empty() || info.source.empty())
    refuse_registration(info.name, "summary, source and unit must be given");
  if (const std::string wrong = complaint_of_parameters(info); !wrong.empty())
    refuse_registration(info.name, wrong);
  auto& sorted = sorted_stages();
  const auto place = std::lower_bound(
      sorted.begin(), sorted.end(), info.name,
      [](const Stage* other, const std::string& name) { return other->info().name < name; });
  sorted.insert(place, stage.get());
  owned_stages().push_back(std::move(stage));
}

}  // namespace ratchet
