#include "kernels/contract/program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>

#include "perf/support/error.h"

namespace ratchet {
namespace {

// Function-local statics, so that registrations of other files find them in any order.
std::vector<std::unique_ptr<Program>>& owned_programs() {
  static std::vector<std::unique_ptr<Program>> owned;
  return owned;
}
std::vector<const Program*>& sorted_programs() {
  static std::vector<const Program*> sorted;
  return sorted;
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  std::fprintf(stderr, "ratchet: program '%s' cannot be registered: %s\n", name.c_str(),
               why.c_str());
  std::abort();
}

}  // namespace

const Stage& engine_of(const Request& request, const std::vector<std::string>& usual) {
  const std::string family = usual.front().substr(0, usual.front().find('/') + 1);
  std::string name = request.texts.at("stage");
  if (!name.empty() && !name.starts_with(family)) name = family + name;
  std::string reason;
  for (const std::string& each : name.empty() ? usual : std::vector<std::string>{name}) {
    const Stage* stage = find_stage(each);
    if (stage == nullptr) {
      if (name.empty()) continue;  // of a build without CUDA, say
      throw Error("stage=" + name + ": there is no such stage; `ratchet list " +
                  family.substr(0, family.size() - 1) + "` shows all");
    }
    const Availability available = stage->availability();
    if (available.ok) return *stage;
    reason = each + ": " + available.reason;
  }
  throw Error(reason, ExitCode::nothing_ran);
}

const std::vector<const Program*>& programs() { return sorted_programs(); }

const Program* find_program(std::string_view family, std::string_view program) {
  const std::string name = std::string(family) + "/" + std::string(program);
  for (const Program* each : programs())
    if (each->info().name == name) return each;
  return nullptr;
}

ProgramRegistration::ProgramRegistration(std::unique_ptr<Program> program) {
  const ProgramInfo& info = program->info();
  static const std::regex form("[a-z0-9_]+/[a-z0-9_]+");
  if (!std::regex_match(info.name, form)) refuse(info.name, "the name must read family/program");
  const bool counts = dynamic_cast<const ShortProgram*>(program.get()) == nullptr;
  if (info.summary.empty() || (counts && info.unit.empty()))
    refuse(info.name, "summary and unit must be given");
  for (const Program* other : programs())
    if (other->info().name == info.name) refuse(info.name, "the name is taken");
  auto& sorted = sorted_programs();
  const auto place = std::lower_bound(
      sorted.begin(), sorted.end(), info.name,
      [](const Program* other, const std::string& name) { return other->info().name < name; });
  sorted.insert(place, program.get());
  owned_programs().push_back(std::move(program));
}

}  // namespace ratchet
