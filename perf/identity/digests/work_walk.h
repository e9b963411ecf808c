// The walk from what makes a stage through all that its timed act can reach: what a digest of work
// is made of (work_digest.h), and what is held against another build's where digests differ
// (perf/identity/explain).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/code/object_code.h"
#include "perf/identity/digests/work_digest.h"

namespace ratchet::counters {

/// A mangled name, or text with one in it, without unnamed namespaces: nvcc calls them by a hash of
/// the source's path ("53_GLOBAL__N__57a3d8fe_...").
std::string without_unnamed_namespaces(std::string symbol);

/// The kernel's name in that of the function that launches it, or text with one in it: a name of
/// which the compiler states the length, which changes with the hash
/// ("_Z80__device_stub__...", or "_ZL80__device_stub__..." where it is static).
std::string kernel_of_launcher(const std::string& symbol);

class WorkWalk {
 public:
  /// Keeps references to both.
  WorkWalk(const ObjectCode& code, const Surroundings& surroundings)
      : code_(code), surroundings_(surroundings) {}

  /// The references of a node that the timed act can go along.
  std::vector<Reference> followed(const CodeNode& node);
  /// Of a vtable, the functions that the timed act may begin with: run() and wait() of an Instance,
  /// all but destructors of a class that is neither Instance nor Stage. Nothing of other nodes.
  std::vector<CodeNode> timed_functions(const CodeNode& node);
  /// A node by itself: its bytes, and its references without where they lead inside ratchet. Equal
  /// facts, equal code.
  std::string facts(const CodeNode& node, const std::vector<Reference>& references);

  /// All device code of an object, by kernel, a line each; no name in it depends on the folder of
  /// the build.
  const std::string& device_code(std::uint32_t object);

  bool launches() const { return launches_; }  ///< the launch of some kernel was reached
  bool runs() const { return runs_; }          ///< so was the run() of some Instance
  /// Names of the stages that it runs as parts of its own (kernels/contract/stage_part.h).
  const std::set<std::string>& parts() const { return parts_; }
  /// What is in the way of knowing all that is executed; empty where nothing is.
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
