// Programs: long-running work of a family, started by `ratchet run FAMILY PROGRAM`.
//
// A stage is timed and gated; a program goes on until it is stopped, and what it finds is kept. It
// lies in the folder of its family (kernels/<family>/<idea>/) and registers there with a
// namespace-scope `ratchet::ProgramRegistration`; nothing else has to be edited.
//
// perf/study/run drives it: slices of work one after another, the progress line, and the record file, to
// which the records of some slices and the state behind them are appended as one piece. A process
// that is killed at any moment loses what came after the last such piece, and the next one does it
// again from that state: so advance() must depend on parameters and state alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/stage.h"
#include "kernels/contract/parameters.h"

namespace ratchet {

/// What is known of a program without running it.
struct ProgramInfo {
  std::string name = {};     ///< "family/program": lower-case letters, digits and _
  std::string summary = {};  ///< one sentence
  std::string unit = {};     ///< of the work, plural: "deals"
  std::vector<Parameter> parameters = {};
  /// State is kept, and with it the records before it, at most this often while the program runs.
  /// Small where state() is a few words; large where it writes a file of gigabytes.
  double keep_every_s = 5;
};

/// What one slice did.
struct Slice {
  std::uint64_t units = 0;
  /// What it found that is worth keeping, one line each, in the order it was found: printed, and
  /// written to the record file.
  std::vector<std::string> records = {};
  bool finished = false;  ///< nothing is left to do
};

/// A program under way.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  /// Goes on for about a second, or less: between two calls the program is stopped. Throws `Error`
  /// on a fault; what was kept stays.
  virtual Slice advance() = 0;
  /// All that open() needs to go on behind the last advance(): one line without control characters,
  /// never empty. What is larger lies in files of its own, on the disk (write_atomically does that)
  /// before this returns, and the line names them and their digests; those that the line before
  /// names must still be there, since the new line may never be written.
  virtual std::string state() = 0;
  /// The best so far in a few words, for the progress line.
  virtual std::string best() const { return ""; }
};

/// A program as registered.
class Program {
 public:
  explicit Program(ProgramInfo info) : info_(std::move(info)) {}
  virtual ~Program() = default;

  const ProgramInfo& info() const { return info_; }
  Parameters defaults() const { return Parameters(info_.name, info_.parameters); }
  virtual Availability availability(const Parameters&) const { return Availability::yes(); }
  /// Begins, where `state` is empty, or goes on from what state() said. Files of its own are named
  /// `files` + ".something". Throws `Error` for a state that is none of its own, for files that are
  /// missing or damaged, and where the machine cannot.
  virtual std::unique_ptr<Work> open(const Parameters& parameters, const std::string& state,
                                     const std::filesystem::path& files) const = 0;

 private:
  ProgramInfo info_;
};

/// All programs, sorted by name. Built before main() by the registrations.
const std::vector<const Program*>& programs();

/// The program of a family, or nullptr.
const Program* find_program(std::string_view family, std::string_view program);

/// Registers a program at namespace scope; aborts at start-up, naming it, on a malformed or
/// duplicate name and where a fact is missing.
class ProgramRegistration {
 public:
  explicit ProgramRegistration(std::unique_ptr<Program> program);
};

}  // namespace ratchet
