// The walk from the code that registers a stage through everything that its timed act can reach.
// work_digest.h hashes it; perf/identity/explain compares the walks of two builds.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/code/object_code.h"
#include "perf/identity/digests/work_digest.h"

namespace ratchet::counters {

/// A text with mangled names, without unnamed namespaces, which nvcc names by a hash of the
/// source's path ("53_GLOBAL__N__57a3d8fe_...").
std::string without_unnamed_namespaces(std::string symbol);

/// A text with the names of launching functions ("_Z80__device_stub__...", static
/// "_ZL80__device_stub__..."), without the length, which changes with the hash.
std::string kernel_of_launcher(const std::string& symbol);

class WorkWalk {
 public:
  /// Keeps references to both.
  WorkWalk(const ObjectCode& code, const Surroundings& surroundings)
      : code_(code), surroundings_(surroundings) {}

  /// The references of a node that the timed act can follow.
  std::vector<Reference> followed(const CodeNode& node);
  /// The functions of a vtable with which the timed act may begin. Of an Instance these are run()
  /// and wait(); of a class that is neither Instance nor Stage, all except destructors. Empty for
  /// other nodes.
  std::vector<CodeNode> timed_functions(const CodeNode& node);
  /// A node by itself: its bytes and references, without their targets inside ratchet. Equal texts
  /// mean equal code.
  std::string facts(const CodeNode& node, const std::vector<Reference>& references);

  /// All device code of an object, one line per kernel, independent of the build's folder.
  const std::string& device_code(std::uint32_t object);

  bool launches() const { return launches_; }  ///< a kernel launch was reached
  bool runs() const { return runs_; }          ///< the run() of an Instance was reached
  /// Names of the stages that it runs as parts (kernels/contract/stage_part.h).
  const std::set<std::string>& parts() const { return parts_; }
  /// Why the executed code is not fully known; empty if it is.
  const std::string& unknown() const { return unknown_; }

 private:
  bool is(const CodeNode& node, const char* kind) const {
    return code_.section_name(node).find(kind) != std::string::npos;
  }
  bool derives(const CodeNode& vtable, const std::string& base) const;
  bool is_settled_elsewhere(const CodeNode& node) const;

  const ObjectCode& code_;
  const Surroundings& surroundings_;
  std::string unknown_;
  std::map<std::uint32_t, std::string> device_code_;  ///< by object
  bool launches_ = false;
  bool runs_ = false;
  std::set<std::string> parts_;
};

}  // namespace ratchet::counters
