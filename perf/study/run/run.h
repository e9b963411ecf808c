// Runs a program (kernels/contract/program.h) until it is stopped or done, and keeps what it finds.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "kernels/contract/parameters.h"
#include "kernels/contract/program.h"
#include "perf/support/error.h"

namespace ratchet::run {

// The record file of a program: what it found and where it stands, kept through kill -9.
//
// Text, a line each, only ever appended to:
//
//   <sum> run 1 family/program seed=1 ...     the first line: what is run, with all parameters
//   <sum> by <heading>                        a line of the heading of a process, before its first
//   <sum> found <units> <seconds> <record>    a record, found by then
//   <sum> at <units> <seconds> <UTC> <state>  all lines before count; from here it goes on
//
// units and seconds count all processes that wrote the file. <sum> is FNV-1a over the sum of the
// line before and what follows the sum, so a line changed, lost or moved is detected. The lines of
// one keep() are one write. Whatever follows the last complete "at" is what a killed process could
// not finish: it is cut off, and found again. Anything else that is not as written is an error.

/// A line "found".
struct Found {
  std::uint64_t units = 0;
  double seconds = 0;
  std::string record;
  double last_second = 0;    ///< units per second, as far as lines "at" tell
  std::string heading = {};  ///< lines of the process that found it, if it is its first
};

/// What a record file says.
struct Kept {
  std::string program;        ///< "family/program"
  ParameterPoint parameters;  ///< every one, as the program was started
  std::vector<Found> found;   ///< in the order it was found
  std::uint64_t units = 0;
  double seconds = 0;   ///< of work
  std::string since;    ///< when the last state was kept, UTC; empty before the first
  std::string state;    ///< empty before the first
  std::string heading;  ///< lines of the last process, if it found nothing
};

/// Reads without changing anything. Throws `Error` naming file and line: no record file, damaged.
Kept read_records(const std::filesystem::path& file);

/// A record file open for appending, and locked against other processes that do.
class RecordFile {
 public:
  /// Makes the file with its first line, or goes on with the one that is there. Throws `Error` when
  /// it cannot be read or written, is damaged, belongs to another program or other parameters, or
  /// is in use.
  RecordFile(const std::filesystem::path& file, const std::string& program,
             const Parameters& parameters);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  /// As it was on opening.
  const Kept& kept() const { return kept_; }
  /// Work::heading() of this process, for the next keep().
  void head(std::string heading) { heading_ = std::move(heading); }
  /// Appends records and the state behind them, and returns when they are on the disk.
  void keep(const std::vector<Found>& found, std::uint64_t units, double seconds,
            const std::string& state);

 private:
  [[noreturn]] void fail(const char* what) const;
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::string sum_;  ///< of the last line
  std::string heading_;
  Kept kept_;
};

/// The rate of the last second of work, or of all of it while there is less.
class LastSecond {
 public:
  LastSecond(double seconds, std::uint64_t units) : marks_{{seconds, units}} {}
  /// Units done after so many seconds, neither smaller than before. Returns units per second.
  double add(double seconds, std::uint64_t units);

 private:
  std::deque<std::pair<double, std::uint64_t>> marks_;  ///< the first a second or more ago
};

struct RunOptions {
  const Program* program = nullptr;
  Parameters parameters;
  std::filesystem::path records;
  double seconds = 0;  ///< stop after as many; 0: when told to
};

/// Until SIGINT or SIGTERM: the current slice ends and is kept. A second signal ends the process at
/// once, which costs no more than kill -9. Work::heading() and records go to `out`, these in the
/// form of log() with the rate of the last second; progress to stderr, in place where that is a
/// terminal and every ten seconds where not. Returns pass; throws `Error`, for a program that
/// cannot run here with ExitCode::nothing_ran.
ExitCode run_program(const RunOptions& options, std::ostream& out);

/// Prints the answer of a short program to stdout. The first SIGINT or SIGTERM asks it to stop.
/// `given`: its words, and parameters as name=value. Throws `Error` for a word or a parameter that
/// it does not take or lacks.
ExitCode run_short_program(const ShortProgram& program, const std::vector<std::string>& given,
                           std::ostream& out);

/// What a record file says: the heading of each process, and "S seconds, N deals (R per second
/// since start) (R in last second)" before the records found by then.
void log(const Kept& kept, const std::string& unit, std::ostream& out);

}  // namespace ratchet::run
