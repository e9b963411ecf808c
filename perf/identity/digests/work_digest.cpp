#include "perf/identity/digests/work_digest.h"

#include <fmt/format.h>

#include <regex>

#include "kernels/contract/stage.h"
#include "perf/identity/digests/work_walk.h"
#include "perf/support/error.h"
#include "perf/support/hash.h"

namespace ratchet::counters {
namespace {

/// The digest of one stage.
class Digest {
 public:
  Digest(const ObjectCode& code, const Surroundings& surroundings)
      : code_(code), surroundings_(surroundings), walk_(code, surroundings) {}

  std::string of(std::uint32_t object, const std::string& stage);
  const std::string& unknown() const { return unknown_; }
  const std::set<std::string>& parts() const { return walk_.parts(); }

 private:
  void follow(CodeNode root);

  const ObjectCode& code_;
  const Surroundings& surroundings_;
  WorkWalk walk_;
  std::map<CodeNode, std::size_t> seen_;
  std::string text_;     ///< the hashed text
  std::string unknown_;  ///< why there is no digest
};

void Digest::follow(CodeNode root) {
  std::vector<CodeNode> open = {root};
  while (!open.empty()) {
    const CodeNode node = open.back();
    open.pop_back();
    const auto [place, added] = seen_.emplace(node, seen_.size());
    if (!added) {
      text_ += fmt::format("@{}\n", place->second);
      continue;
    }
    const std::vector<Reference> references = walk_.followed(node);
    text_ += walk_.facts(node, references) + "\n";
    for (auto each = references.rbegin(); each != references.rend(); ++each)
      if (!each->external) open.push_back(each->target);
  }
}

std::string Digest::of(std::uint32_t object, const std::string& stage) {
  const CodeNode* timed = code_.find(surroundings_.timed_act);
  if (!timed) throw Error("no object defines the timed act, " + surroundings_.timed_act);
  text_ = sha1(code_.bytes(*timed)) + "\n";
  for (const CodeNode& each : code_.initialisers(object)) follow(each);
  const Backend backend = backend_of(stage);
  const bool of_a_gpu = backend == Backend::cuda || backend == Backend::hybrid;
  unknown_ = walk_.unknown();
  if (!walk_.runs() && unknown_.empty())
    unknown_ = "the run() of an Instance, which is not reachable";
  if (of_a_gpu && !walk_.launches() && walk_.parts().empty() && unknown_.empty())
    unknown_ = "the launch of a kernel, which is not reachable";
  return sha1(text_);
}

/// Adds the digests of parts: `parts` has the names of other stages that a stage runs.
using Parts = std::map<std::string, std::set<std::string>>;

void take_in_parts(const Parts& parts, std::map<std::string, std::string>& digests,
                   std::map<std::string, std::string>* unknown) {
  const std::map<std::string, std::string> alone = digests;
  for (const auto& [stage, names] : parts) {
    if (!alone.contains(stage)) continue;
    for (const std::string& name : names) {
      // A part with its own parts would need an order; no stage has one.
      const bool known = alone.contains(name) && !parts.contains(name);
      if (!known && unknown) (*unknown)[stage] = "the digest of its part " + name;
      if (!known) digests.erase(stage);
      if (!known) break;
      digests[stage] = sha1(digests[stage] + "\n" + name + " " + alone.at(name));
    }
  }
}

}  // namespace

std::string stage_of_object(const std::filesystem::path& object) {
  static const std::regex form(
      ".*[.]dir/([a-z0-9_]+)/(cpu|cuda|hybrid|opencl)_([0-9]+[a-z]?_[a-z0-9_]+)[.](?:cpp|cu)[.]o");
  std::smatch match;
  const std::string path = object.lexically_normal().string();
  if (!std::regex_match(path, match, form)) return "";
  return match[1].str() + "/" + match[2].str() + "/" + match[3].str();
}

std::map<std::string, std::string> work_digests(const std::vector<std::filesystem::path>& objects,
                                                const Surroundings& surroundings,
                                                std::map<std::string, std::string>* unknown) {
  const ObjectCode code(objects);
  std::map<std::string, std::string> digests;
  Parts parts;
  for (std::uint32_t i = 0; i < code.objects(); ++i) {
    const std::string stage = stage_of_object(code.name(i));
    if (stage.empty()) continue;
    Digest digest(code, surroundings);
    const std::string text = digest.of(i, stage);
    if (digest.unknown().empty()) digests[stage] = text;
    if (!digest.parts().empty()) parts[stage] = digest.parts();
    if (!digest.unknown().empty() && unknown) (*unknown)[stage] = digest.unknown();
  }
  take_in_parts(parts, digests, unknown);
  return digests;
}

}  // namespace ratchet::counters
