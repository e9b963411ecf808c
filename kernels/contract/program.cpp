#include "kernels/contract/program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>

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
  if (info.summary.empty() || info.unit.empty())
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
