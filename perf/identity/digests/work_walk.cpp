#include "perf/identity/digests/work_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <regex>
#include <set>

#include "kernels/contract/stage.h"
#include "perf/identity/code/cubin.h"
#include "perf/identity/code/static_code.h"
#include "perf/support/hash.h"

namespace ratchet::counters {
namespace {

/// Offset of a virtual function in the vtable. The Itanium C++ ABI (2.3, "Member Function
/// Pointers") stores it in the member pointer, plus 1; that of AArch64 (3.1) without.
template <class Function>
std::uint64_t slot(Function function) {
  std::uint64_t words[2];
  static_assert(sizeof function == sizeof words);
  std::memcpy(words, &function, sizeof words);
  return words[0] & ~std::uint64_t{1};
}

constexpr std::uint64_t typeinfo_slot = 8, first_slot = 16;
constexpr const char* instance_type = "_ZTIN7ratchet8InstanceE";
constexpr const char* stage_type = "_ZTIN7ratchet5StageE";

/// Whether a function finds stages by a name that no symbol contains: find_stage(), registry(),
/// match_stages(), and StagePart::find() without find_part().
bool finds_by_name(std::string_view symbol) {
  return symbol.starts_with("_ZN7ratchet10find_stage") ||
         symbol.starts_with("_ZN7ratchet8registryEv") ||
         symbol.starts_with("_ZN7ratchet12match_stages") ||
         symbol.starts_with("_ZN7ratchet9StagePart");
}

/// The stage's name in the symbol of find_part<"...">(): a literal ("Lc116E") for each character.
std::string part_of(const std::string& symbol) {
  static const std::regex character("Lc([0-9]+)E");
  std::string name;
  for (std::sregex_iterator each(symbol.begin(), symbol.end(), character), end; each != end; ++each)
    name += static_cast<char>(std::stoi((*each)[1]));
  return name;
}

}  // namespace

std::string without_unnamed_namespaces(std::string symbol) {
  static const std::string unnamed = "_GLOBAL__N_";
  for (std::size_t at = symbol.find(unnamed); at != std::string::npos; at = symbol.find(unnamed)) {
    std::size_t digits = at;
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(symbol[digits - 1]))) --digits;
    const std::size_t length = digits < at ? std::stoul(symbol.substr(digits, at - digits)) : 0;
    symbol.erase(digits, at - digits + std::max(length, unnamed.size()));
  }
  return symbol;
}

std::string kernel_of_launcher(const std::string& symbol) {
  static const std::regex stub("_ZL?[0-9]+__device_stub__");
  return std::regex_replace(without_unnamed_namespaces(symbol), stub, "");
}

/// Whether the vtable's class is, or derives from, the class with this typeinfo.
bool WorkWalk::derives(const CodeNode& vtable, const std::string& base) const {
  std::vector<CodeNode> types;
  for (const Reference& each : code_.references(vtable))
    if (each.offset == typeinfo_slot && !each.external) types.push_back(each.target);
  for (std::size_t i = 0; i < types.size() && i < 64; ++i) {
    if (code_.section_name(types[i]).ends_with("." + base)) return true;
    for (const Reference& each : code_.references(types[i])) {
      if (each.offset >= 16 && !each.external) types.push_back(each.target);
      if (each.offset >= 16 && each.external && each.name == base) return true;
    }
  }
  return false;
}

/// Whether a function counts only by its name. These do: the registration of stages; the search for
/// the stage that prepares an input, which is the same from any stage; the search for parts, which
/// count by their digests; parameters, whose values count for the row; the registration of kernels,
/// which count where they are launched.
bool WorkWalk::is_settled_elsewhere(const CodeNode& node) const {
  return is(node, "._ZN7ratchet12Registration") || is(node, "._ZN7ratchet20find_preparing_stage") ||
         is(node, "._ZN7ratchet9find_part") || is(node, "._ZN7ratchet10Parameters") ||
         is(node, "._ZNK7ratchet10Parameters") || is(node, "__cudaRegisterAll") ||
         is(node, ".nv_fatbin") || is(node, ".nvFatBinSegment");
}

const std::string& WorkWalk::device_code(std::uint32_t object) {
  const auto [place, added] = device_code_.emplace(object, "");
  if (!added) return place->second;
  std::set<std::string> kernels;
  for (const Cubin& cubin : embedded_cubins(code_.image(object), "an object")) {
    for (const FunctionCode& function : cubin.functions)
      kernels.insert(readable_kernel(function.symbol) + " " + sha1(function.code));
    kernels.insert("tables " + sha1(cubin.tables));
  }
  for (const std::string& kernel : kernels) place->second += "\n" + kernel;
  return place->second;
}

std::vector<Reference> WorkWalk::followed(const CodeNode& node) {
  if (is(node, "._ZN7ratchet9find_part")) parts_.insert(part_of(code_.section_name(node)));
  std::vector<Reference> all = code_.references(node);
  if (is(node, "._ZTI") || is_settled_elsewhere(node)) return {};
  // No reference shows what is found by name at run time. The finder may also be in a library.
  const std::string& name = code_.section_name(node);
  if (finds_by_name(std::string_view(name).substr(std::min(name.find("_ZN"), name.size()))) ||
      std::any_of(all.begin(), all.end(),
                  [](const Reference& each) { return each.external && finds_by_name(each.name); }))
    unknown_ = found_by_name;
  if (!is(node, "._ZTV")) return all;
  // The first two entries are destructors.
  std::set<std::uint64_t> untimed = {0, 8};
  if (derives(node, instance_type)) {
    untimed.insert({slot(&Instance::units), slot(&Instance::device_time)});
    runs_ = runs_ || std::any_of(all.begin(), all.end(), [](const Reference& each) {
              return !each.external && each.offset == first_slot + slot(&Instance::run);
            });
  } else if (derives(node, stage_type)) {
    untimed.insert(slot(&Stage::availability));
  } else {
    untimed.clear();
  }
  std::erase_if(all, [&](const Reference& each) {
    return each.offset < first_slot || untimed.contains(each.offset - first_slot);
  });
  return all;
}

std::vector<CodeNode> WorkWalk::timed_functions(const CodeNode& node) {
  std::vector<CodeNode> functions;
  if (!is(node, "._ZTV") || derives(node, stage_type)) return functions;
  const bool instance = derives(node, instance_type);
  const std::set<std::uint64_t> begins = {slot(&Instance::run), slot(&Instance::wait)};
  for (const Reference& each : code_.references(node)) {
    if (each.external || each.offset < first_slot) continue;
    const std::string& name = code_.section_name(each.target);
    const bool destructor =
        name.ends_with("D0Ev") || name.ends_with("D1Ev") || name.ends_with("D2Ev");
    if (instance ? begins.contains(each.offset - first_slot) : !destructor)
      functions.push_back(each.target);
  }
  return functions;
}

std::string WorkWalk::facts(const CodeNode& node, const std::vector<Reference>& references) {
  std::string text;
  if (is_settled_elsewhere(node)) return code_.section_name(node);
  if (!is(node, "._ZTI") && !is(node, "._ZTV")) text = code_.bytes(node);
  for (const Reference& each : references) {
    // All kernels' launching code is alike, so the kernel is identified by its name.
    if (each.external && each.name.find("cudaLaunchKernel") != std::string::npos) {
      launches_ = true;
      text += "\n" + kernel_of_launcher(code_.section_name(node)) + device_code(node.object);
    }
    text += fmt::format("\n{:x} {} {}", each.offset, each.type, each.addend);
    if (!each.external) {
      text += fmt::format(" +{}", each.value);
      continue;
    }
    if (!surroundings_.cuda_runtime.empty() &&
        (each.name.starts_with("cuda") || each.name.starts_with("__cuda"))) {
      text += " " + each.name + " " + surroundings_.cuda_runtime;
      continue;
    }
    // libc_nonshared.a, which the linker adds, has atexit(): a call of that function.
    const auto library =
        surroundings_.libraries.find(each.name == "atexit" ? "__cxa_atexit" : each.name);
    const bool linkers =
        each.name.starts_with("_GLOBAL_OFFSET_TABLE_") || each.name.starts_with("__dso_handle");
    if (library == surroundings_.libraries.end() && !linkers && unknown_.empty())
      unknown_ = each.name;
    text += fmt::format(" {} {}", each.name,
                        library == surroundings_.libraries.end() ? "" : library->second);
  }
  return sha1(text);
}

}  // namespace ratchet::counters
