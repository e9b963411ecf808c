// A program in its build folder, with the object files that it was linked from.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/identity/code/object_code.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/identity/row_id.h"

namespace ratchet::explain {

class BuildCode {
 public:
  /// Reads the objects that the build listed next to the program (ratchet-bench.objects). Throws
  /// `Error` without such a list, or if an object is missing or newer than the program.
  explicit BuildCode(const std::filesystem::path& program);

  const std::filesystem::path& program() const { return program_; }
  const counters::ObjectCode& code() const { return code_; }
  const std::filesystem::path& object(std::uint32_t number) const { return objects_.at(number); }
  const counters::Libraries& libraries() const { return libraries_; }
  /// The object of a stage. Throws `Error` if this build lacks the stage.
  std::uint32_t object_of(const std::string& stage) const;
  bool has(const std::string& stage) const { return stages_.contains(stage); }

 private:
  std::filesystem::path program_;
  std::vector<std::filesystem::path> objects_;
  counters::ObjectCode code_;
  counters::Libraries libraries_;
  std::map<std::string, std::uint32_t> stages_;
};

// The parts of a row's digest, as the program reports them.

struct RowWork {
  std::string digest;  ///< of everything; empty if unknown
  std::string code;    ///< of the stage's code; empty if the program is too old to report it
  std::string input;   ///< of the input file; empty without one
  std::map<std::string, std::string> parameters;
};

/// By row, for a program with --ratchet_list_work; empty for other programs. Throws `Error` for a
/// malformed answer.
std::map<RowId, RowWork> row_works(const std::filesystem::path& program,
                                   const std::vector<std::string>& arguments);

}  // namespace ratchet::explain
