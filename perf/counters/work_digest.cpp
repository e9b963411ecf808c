#include "perf/counters/work_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <regex>

#include "kernels/stage.h"
#include "kernels/support/error.h"
#include "perf/counters/cubin.h"
#include "perf/counters/static_code.h"
#include "perf/support/hash.h"

namespace ratchet::counters {
namespace {

/// Of a virtual function, its place in the vtable from where an object points to: the Itanium C++
/// ABI (2.3, "Member Function Pointers") keeps it in the pointer, plus 1.
template <class Function>
std::uint64_t slot(Function function) {
  std::uint64_t words[2];
  static_assert(sizeof function == sizeof words);
  std::memcpy(words, &function, sizeof words);
  return words[0] - 1;
}

constexpr std::uint64_t typeinfo_slot = 8, first_slot = 16;
constexpr const char* instance_type = "_ZTIN7ratchet8InstanceE";
constexpr const char* stage_type = "_ZTIN7ratchet5StageE";

/// The function that launches a kernel has the kernel's name, without what differs between builds:
/// nvcc calls an unnamed namespace by a hash of the source's path ("53_GLOBAL__N__57a3d8fe_..."),
/// in a name of which the compiler states the length ("_Z80__device_stub__...").
std::string kernel_of_launcher(std::string section) {
  static const std::string unnamed = "_GLOBAL__N_";
  for (std::size_t at = section.find(unnamed); at != std::string::npos;
       at = section.find(unnamed)) {
    std::size_t digits = at;
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(section[digits - 1]))) --digits;
    const std::size_t length = digits < at ? std::stoul(section.substr(digits, at - digits)) : 0;
    section.erase(digits, at - digits + std::max(length, unnamed.size()));
  }
  static const std::regex stub("_Z[0-9]+__device_stub__");
  return std::regex_replace(section, stub, "");
}

/// What walks the graph from a stage's roots.
class Walk {
 public:
  Walk(const ObjectCode& code, const Surroundings& surroundings)
      : code_(code), surroundings_(surroundings) {}

  std::string digest_of(std::uint32_t object, const std::string& stage);
  const std::string& unknown() const { return unknown_; }

 private:
  bool is(const CodeNode& node, const char* kind) const {
    return code_.section_name(node).find(kind) != std::string::npos;
  }
  bool derives(const CodeNode& vtable, const std::string& base) const;
  const std::string& device_code(std::uint32_t object);
  bool is_settled_elsewhere(const CodeNode& node) const;
  std::vector<Reference> followed(const CodeNode& node);
  std::string facts(const CodeNode& node, const std::vector<Reference>& references);
  void follow(CodeNode root);

  const ObjectCode& code_;
  const Surroundings& surroundings_;
  std::map<CodeNode, std::size_t> seen_;
  std::string text_;  ///< what the digest is of
  std::string unknown_;
  std::map<std::uint32_t, std::string> device_code_;  ///< by object
  bool launches_ = false;                             ///< so was the launch of some kernel
  bool runs_ = false;                                 ///< the run() of some Instance was reached
};

/// Whether the class that the vtable belongs to is, or derives from, the one with that typeinfo.
bool Walk::derives(const CodeNode& vtable, const std::string& base) const {
  std::vector<CodeNode> types;
  for (const Reference& each : code_.references(vtable))
    if (each.offset == typeinfo_slot && !each.external) types.push_back(each.target);
  for (std::size_t i = 0; i < types.size() && i < 64; ++i) {
    if (code_.section_name(types[i]).ends_with("." + base)) return true;
    for (const Reference& each : code_.references(types[i]))
      if (each.offset >= 16 && !each.external) types.push_back(each.target);
  }
  return false;
}

/// What counts by name alone: the list of stages; who makes an input that is the same whoever does;
/// the parameters, whose values count for the row; what makes kernels known to the runtime, which
/// count where they are launched.
bool Walk::is_settled_elsewhere(const CodeNode& node) const {
  return is(node, "._ZN7ratchet12Registration") || is(node, "._ZN7ratchet20find_preparing_stage") ||
         is(node, "._ZN7ratchet10Parameters") || is(node, "._ZNK7ratchet10Parameters") ||
         is(node, "__cudaRegisterAll") || is(node, ".nv_fatbin") || is(node, ".nvFatBinSegment");
}

/// All device code of an object, by kernel; no name in it depends on the folder of the build.
const std::string& Walk::device_code(std::uint32_t object) {
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

/// The references that the timed act can go along.
std::vector<Reference> Walk::followed(const CodeNode& node) {
  std::vector<Reference> all = code_.references(node);
  if (is(node, "._ZTI") || is_settled_elsewhere(node)) return {};
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

/// A node by itself: its bytes, and its references without where they lead inside ratchet.
std::string Walk::facts(const CodeNode& node, const std::vector<Reference>& references) {
  std::string text;
  if (is_settled_elsewhere(node)) return code_.section_name(node);
  if (!is(node, "._ZTI") && !is(node, "._ZTV")) text = code_.bytes(node);
  for (const Reference& each : references) {
    // The code that launches a kernel is alike for all: the kernel is known by its name.
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
    const auto library = surroundings_.libraries.find(each.name);
    const bool linkers =
        each.name.starts_with("_GLOBAL_OFFSET_TABLE_") || each.name.starts_with("__dso_handle");
    if (library == surroundings_.libraries.end() && !linkers && unknown_.empty())
      unknown_ = each.name;
    text += fmt::format(" {} {}", each.name,
                        library == surroundings_.libraries.end() ? "" : library->second);
  }
  return sha1(text);
}

void Walk::follow(CodeNode root) {
  std::vector<CodeNode> open = {root};
  while (!open.empty()) {
    const CodeNode node = open.back();
    open.pop_back();
    const auto [place, added] = seen_.emplace(node, seen_.size());
    if (!added) {
      text_ += fmt::format("@{}\n", place->second);
      continue;
    }
    // What is found by name when it runs, no reference tells.
    if (is(node, "._ZN7ratchet10find_stage") || is(node, "._ZN7ratchet8registryEv"))
      unknown_ = "a stage that is found by its name";
    const std::vector<Reference> references = followed(node);
    text_ += facts(node, references) + "\n";
    for (auto each = references.rbegin(); each != references.rend(); ++each)
      if (!each->external) open.push_back(each->target);
  }
}

std::string Walk::digest_of(std::uint32_t object, const std::string& stage) {
  const CodeNode* timed = code_.find(surroundings_.timed_act);
  if (!timed) throw Error("no object has the timed act, " + surroundings_.timed_act);
  text_ = sha1(code_.bytes(*timed)) + "\n";
  for (const CodeNode& each : code_.initialisers(object)) follow(each);
  const Backend backend = backend_of(stage);
  if (!runs_ && unknown_.empty()) unknown_ = "the run() of an Instance, to which no way leads";
  if ((backend == Backend::cuda || backend == Backend::hybrid) && !launches_ && unknown_.empty())
    unknown_ = "the launch of a kernel, to which no way leads";
  return sha1(text_);
}

/// ".../ratchet_kernels_life.dir/life/cpu_05_simd.cpp.o" is life/cpu/05_simd; empty for others.
std::string stage_of_object(const std::filesystem::path& object) {
  static const std::regex form(
      ".*[.]dir/([a-z0-9_]+)/(cpu|cuda|hybrid|opencl)_([0-9]+[a-z]?_[a-z0-9_]+)[.](?:cpp|cu)[.]o");
  std::smatch match;
  const std::string path = object.lexically_normal().string();
  if (!std::regex_match(path, match, form)) return "";
  return match[1].str() + "/" + match[2].str() + "/" + match[3].str();
}

}  // namespace

std::map<std::string, std::string> work_digests(const std::vector<std::filesystem::path>& objects,
                                                const Surroundings& surroundings,
                                                std::map<std::string, std::string>* unknown) {
  const ObjectCode code(objects);
  std::map<std::string, std::string> digests;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string stage = stage_of_object(objects[i]);
    if (stage.empty()) continue;
    Walk walk(code, surroundings);
    const std::string digest = walk.digest_of(static_cast<std::uint32_t>(i), stage);
    if (walk.unknown().empty()) digests[stage] = digest;
    if (!walk.unknown().empty() && unknown) (*unknown)[stage] = walk.unknown();
  }
  return digests;
}

}  // namespace ratchet::counters
