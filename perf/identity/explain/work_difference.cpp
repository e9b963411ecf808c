#include "perf/identity/explain/work_difference.h"

#include <elf.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <regex>

#include "perf/identity/digests/work_walk.h"
#include "perf/identity/explain/listing.h"

namespace ratchet::explain {
namespace {

using counters::CodeNode;
using counters::ObjectCode;
using counters::Reference;
using counters::Surroundings;
using counters::WorkWalk;

struct Piece {
  std::string facts;
  std::vector<CodeNode> targets;
  bool timed = false;
  bool launches = false;
};

/// Everything that the stage of one build reaches.
class Reach {
 public:
  Reach(const StageCode& stage, const Surroundings& surroundings)
      : code_(stage.code),
        walk_(stage.code, surroundings),
        roots_(code_.initialisers(stage.object)) {
    for (const CodeNode& root : roots_) visit(root);
    for (const CodeNode& node : order_)
      for (const CodeNode& function : walk_.timed_functions(node)) mark_timed(function);
  }

  const ObjectCode& code() const { return code_; }
  const std::vector<CodeNode>& roots() const { return roots_; }
  const std::vector<CodeNode>& order() const { return order_; }
  const Piece& piece(const CodeNode& node) const { return pieces_.at(node); }
  bool is_constant(const CodeNode& node) const { return code_.flags(node) & SHF_MERGE; }
  const std::set<std::string>& externals() const { return externals_; }
  bool finds_others() const {
    return !walk_.parts().empty() || walk_.unknown().find("found by its name") != std::string::npos;
  }
  std::set<std::uint32_t> launching_objects() const {
    std::set<std::uint32_t> objects;
    for (const auto& [node, piece] : pieces_)
      if (piece.launches) objects.insert(node.object);
    return objects;
  }

 private:
  void visit(const CodeNode& root) {
    std::vector<CodeNode> open = {root};
    while (!open.empty()) {
      const CodeNode node = open.back();
      open.pop_back();
      const auto [place, added] = pieces_.emplace(node, Piece{});
      if (!added) continue;
      order_.push_back(node);
      const std::vector<Reference> references = walk_.followed(node);
      place->second.facts = walk_.facts(node, references);
      for (const Reference& each : references) {
        if (!each.external) place->second.targets.push_back(each.target);
        if (each.external) externals_.insert(each.name);
        if (each.external && each.name.find("cudaLaunchKernel") != std::string::npos)
          place->second.launches = true;
      }
      const auto& targets = place->second.targets;
      open.insert(open.end(), targets.rbegin(), targets.rend());
    }
  }
  void mark_timed(const CodeNode& root) {
    std::vector<CodeNode> open = {root};
    while (!open.empty()) {
      const auto found = pieces_.find(open.back());
      open.pop_back();
      if (found == pieces_.end() || found->second.timed) continue;
      found->second.timed = true;
      open.insert(open.end(), found->second.targets.begin(), found->second.targets.end());
    }
  }

  const ObjectCode& code_;
  WorkWalk walk_;
  std::vector<CodeNode> roots_;
  std::map<CodeNode, Piece> pieces_;
  std::vector<CodeNode> order_;
  std::set<std::string> externals_;
};

std::string name_in(const Reach& reach, const CodeNode& node) {
  // The length in a stub's name varies with the digits of the compiler's process id.
  static const std::regex length("[0-9]+(?=__device_stub__)");
  return std::regex_replace(counters::without_unnamed_namespaces(reach.code().section_name(node)),
                            length, "");
}

/// Matches the pieces of one side with those of the other.
class Pairing {
 public:
  Pairing(const Reach& before, const Reach& now) : before_(before), now_(now) {
    for (std::size_t i = 0; i < std::min(before.roots().size(), now.roots().size()); ++i)
      pair(before.roots()[i], now.roots()[i], std::nullopt);
    const auto base = [](const Reach& reach, const CodeNode& node) {
      return without_clones(name_in(reach, node));
    };
    const auto facts = [](const Reach& reach, const CodeNode& node) {
      return reach.piece(node).facts;
    };
    // A renamed kernel is another template argument of the functions around it.
    const auto renamed = [](const Reach& reach, const CodeNode& node) {
      return without_template_arguments(name_of(reach.code(), node));
    };
    while (pair_left_over(name_in) || pair_left_over(facts) || pair_left_over(base) ||
           pair_left_over(renamed)) {
    }
  }

  std::vector<PieceChange> changes() const {
    std::vector<PieceChange> all = changed_;
    for (const CodeNode& node : now_.order())
      if (!before_of_.contains(node) && !now_.is_constant(node))
        all.push_back({std::nullopt, node, std::nullopt, now_.piece(node).timed, ""});
    for (const CodeNode& node : before_.order())
      if (!now_of_.contains(node) && !before_.is_constant(node))
        all.push_back({node, std::nullopt, std::nullopt, before_.piece(node).timed, ""});
    return all;
  }

 private:
  using Key = std::function<std::string(const Reach&, const CodeNode&)>;

  /// Matches two pieces, and their references where these agree.
  void pair(const CodeNode& a, const CodeNode& b, std::optional<CodeNode> user) {
    struct Two {
      CodeNode before, now;
      std::optional<CodeNode> user;
    };
    std::deque<Two> open = {{a, b, user}};
    while (!open.empty()) {
      const Two two = open.front();
      open.pop_front();
      if (now_of_.contains(two.before) || before_of_.contains(two.now)) continue;
      now_of_[two.before] = two.now;
      before_of_[two.now] = two.before;
      const Piece& before = before_.piece(two.before);
      const Piece& now = now_.piece(two.now);
      if (before.targets.size() == now.targets.size() &&
          (before.facts == now.facts || is_same_launcher(two.before, two.now))) {
        for (std::size_t i = 0; i < now.targets.size(); ++i)
          open.push_back({before.targets[i], now.targets[i], two.now});
        continue;
      }
      changed_.push_back({two.before, two.now, two.user, before.timed || now.timed, ""});
      for (const auto& [was, is] : called_alike(before, now)) open.push_back({was, is, two.now});
    }
  }

  /// Launching code contains the kernel's code as well, which is compared separately.
  bool is_same_launcher(const CodeNode& before, const CodeNode& now) const {
    return before_.piece(before).launches && now_.piece(now).launches &&
           name_in(before_, before) == name_in(now_, now) &&
           before_.code().bytes(before) == now_.code().bytes(now);
  }

  /// Matches the equally named references of two differing pieces. Constants have no names.
  std::vector<std::pair<CodeNode, CodeNode>> called_alike(const Piece& before,
                                                          const Piece& now) const {
    std::map<std::string, CodeNode> by_name;
    for (const CodeNode& each : before.targets)
      if (!before_.is_constant(each)) by_name.emplace(name_in(before_, each), each);
    std::vector<std::pair<CodeNode, CodeNode>> alike;
    for (const CodeNode& each : now.targets)
      if (const auto found = by_name.find(name_in(now_, each));
          found != by_name.end() && !now_.is_constant(each))
        alike.emplace_back(found->second, each);
    return alike;
  }

  /// Matches unmatched pieces by a key that is unique on each side; whether any was matched.
  bool pair_left_over(const Key& key) {
    const auto left = [&](const Reach& reach, const auto& paired) {
      std::map<std::string, std::vector<CodeNode>> by_key;
      for (const CodeNode& node : reach.order())
        if (!paired.contains(node) && !reach.is_constant(node))
          by_key[key(reach, node)].push_back(node);
      return by_key;
    };
    const auto before = left(before_, now_of_);
    bool any = false;
    for (const auto& [each, nodes] : left(now_, before_of_)) {
      const auto found = before.find(each);
      if (each.empty() || found == before.end()) continue;
      if (nodes.size() != 1 || found->second.size() != 1) continue;
      pair(found->second.front(), nodes.front(), std::nullopt);
      any = true;
    }
    return any;
  }

  const Reach& before_;
  const Reach& now_;
  std::map<CodeNode, CodeNode> now_of_, before_of_;
  std::vector<PieceChange> changed_;
};

/// The kernels that a function launches.
std::string kernels_launched_by(const Reach& reach, const CodeNode& node) {
  std::string names;
  for (const CodeNode& target : reach.piece(node).targets)
    if (reach.piece(target).launches)
      names += (names.empty() ? "" : ", ") + name_of(reach.code(), target);
  return names;
}

}  // namespace

WorkDifference work_difference(const StageCode& before, const StageCode& now,
                               const Surroundings& surroundings) {
  const Reach was(before, surroundings), is(now, surroundings);
  WorkDifference difference;
  difference.pieces = Pairing(was, is).changes();
  for (PieceChange& each : difference.pieces)
    if (each.now) each.launches = kernels_launched_by(is, *each.now);
  difference.externals_before = was.externals();
  difference.externals_now = is.externals();
  difference.objects_before = was.launching_objects();
  difference.objects_now = is.launching_objects();
  const CodeNode* clock_before = before.code.find(surroundings.timed_act);
  const CodeNode* clock_now = now.code.find(surroundings.timed_act);
  difference.clock =
      clock_before && clock_now && before.code.bytes(*clock_before) != now.code.bytes(*clock_now);
  difference.finds_others = was.finds_others() || is.finds_others();
  return difference;
}

}  // namespace ratchet::explain
