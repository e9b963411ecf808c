// Programs of a family, started by `ratchet run FAMILY PROGRAM`.
//
// A stage is timed and gated; a program runs until it is stopped, and its records are stored. A
// short program only prints its answer and ends. A program lies in the folder of its family
// (kernels/<family>/<idea>/) and registers there with a namespace-scope
// `ratchet::ProgramRegistration`; nothing else has to be edited.
//
// perf/study/run drives it: it calls advance() repeatedly, shows the progress, and appends the
// records and the state after them to the record file in one write. A killed process loses the work
// after the last such write, and the next process repeats it from that state. So advance() must
// depend only on parameters and state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/parameters.h"
#include "kernels/contract/stage.h"

namespace ratchet {

/// A parameter whose value is text: a file, a stage. Empty unless given.
struct TextParameter {
  std::string name;
  std::string help;
};

/// Facts of a program.
struct ProgramInfo {
  std::string name = {};     ///< "family/program": lower-case letters, digits and _
  std::string summary = {};  ///< one sentence
  std::string unit = {};     ///< of the work, plural: "deals"
  std::vector<Parameter> parameters = {};
  /// Minimum seconds between two writes of state and records: small if state() is a few words,
  /// large if it writes a file of gigabytes.
  double keep_every_s = 5;
  /// Of short programs: the arguments that are not name=value, such as "FILE"; at least one must be
  /// given, and only one unless this ends in "...". Empty: there are none.
  std::string words = {};
  std::vector<TextParameter> texts = {};  ///< of short programs
};

/// The result of one call of advance().
struct Slice {
  std::uint64_t units = 0;
  /// Findings in order, one line each, which are printed and written to the record file.
  std::vector<std::string> records = {};
  bool finished = false;  ///< nothing is left to do
};

/// A running program.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  /// Works for at most about a second, since the program can be stopped only between two calls.
  /// Throws `Error` on a fault; stored records stay.
  virtual Slice advance() = 0;
  /// The state for open() to continue after the last advance(): one line without control
  /// characters, never empty. Larger state goes to files, which are on disk before this returns
  /// (see write_atomically); the line holds their names and digests. Files of the previous line
  /// must still exist, since the new line may never be written.
  virtual std::string state() = 0;
  /// What works, in lines to print first; each ends in a newline.
  virtual std::string heading() const { return ""; }
  /// The best so far in a few words, for the progress line.
  virtual std::string best() const { return ""; }
};

/// A registered program.
class Program {
 public:
  explicit Program(ProgramInfo info) : info_(std::move(info)) {}
  virtual ~Program() = default;

  const ProgramInfo& info() const { return info_; }
  Parameters defaults() const { return Parameters(info_.name, info_.parameters); }
  virtual Availability availability(const Parameters&) const { return Availability::yes(); }
  /// Begins with an empty `state`, or continues from a value of state(). Its files are named
  /// `files` +
  /// ".something". Throws `Error` for an invalid state, for missing or damaged files, and if the
  /// machine cannot run it.
  virtual std::unique_ptr<Work> open(const Parameters& parameters, const std::string& state,
                                     const std::filesystem::path& files) const = 0;

 private:
  ProgramInfo info_;
};

/// What a short program is asked, and where it prints.
struct Request {
  Parameters parameters;
  std::vector<std::string> words;
  std::map<std::string, std::string> texts;  ///< all of ProgramInfo::texts, by name
  std::ostream& out;
  std::size_t columns = 0, rows = 0;  ///< of the terminal that `out` is; 0 where it is none
  /// True once ctrl-C was pressed.
  std::function<bool()> stopped = [] { return false; };
};

/// A program that prints its answer and ends. It keeps no records.
class ShortProgram : public Program {
 public:
  using Program::Program;
  /// Throws `Error` for a bad request, and for a stage that cannot run here.
  virtual void answer(const Request& request) const = 0;
  std::unique_ptr<Work> open(const Parameters&, const std::string&,
                             const std::filesystem::path&) const final {
    return nullptr;
  }
};

/// The stage that the text parameter "stage" names, with or without its family; where it is not
/// given, the first of `usual` that can run here. Throws `Error` where there is none.
const Stage& engine_of(const Request& request, const std::vector<std::string>& usual);

/// All programs, sorted by name. Built before main() by the registrations.
const std::vector<const Program*>& programs();

/// The program of a family, or nullptr.
const Program* find_program(std::string_view family, std::string_view program);

/// Registers a program at namespace scope. Aborts at start-up, naming it, for a malformed or
/// duplicate name and for a missing fact.
class ProgramRegistration {
 public:
  explicit ProgramRegistration(std::unique_ptr<Program> program);
};

}  // namespace ratchet
