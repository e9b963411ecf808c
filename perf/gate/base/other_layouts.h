// A program in other layouts: its build's link command is repeated with padding between its
// objects, so that the same code and data lie at other addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/run/bench_program.h"
#include "perf/identity/build/link_command.h"
#include "perf/support/files.h"

namespace ratchet::gate {

/// The section's name and its padding in bytes, a multiple of 16.
using Padding = std::vector<std::pair<std::string, std::size_t>>;

/// An object file of padding alone for the machine of the ELF file `like`. Its sections are kept
/// by --gc-sections. Throws `Error` unless `like` is a little-endian ELF-64 file.
std::string padding_object(const std::string& like, const Padding& padding);

/// Launches these rows of a program in layouts that are drawn at random: the first launches of each
/// row in the first layout, as many in the next. Paths have random lengths, since a process's stack
/// begins below them.
class OtherLayouts : public BenchProgram {
 public:
  /// Repeats the link once. Throws `Error` with the reason where that does not give the program, or
  /// padding does not move its code. `seed`: of the layouts. Each layout has one launch of a row
  /// at first.
  OtherLayouts(const BenchProgram& program, const std::set<RowId>& rows, std::uint64_t seed);

  /// Seconds of a link.
  double link_s() const { return link_s_; }
  /// The launches of a row that each layout has. Call it before any.
  void set_launches(std::size_t of_each) { launches_of_each_ = of_each; }

  const std::filesystem::path& path() const override { return program_.path(); }
  Listing list() const override;
  Abilities abilities() const override { return {}; }
  CheckOutcome check(const std::string& stage) const override { return program_.check(stage); }
  LaunchOutcome measure(const RowId& row, const LaunchRequest& request) const override;
  std::map<RowId, LaunchOutcome> measure_together(const std::vector<RowId>& rows,
                                                  const LaunchRequest& request) const override;
  RowId process_of(const RowId& row) const override { return program_.process_of(row); }

 private:
  std::filesystem::path layout(std::size_t number) const;
  std::filesystem::path linked(std::size_t number) const;

  const BenchProgram& program_;
  std::vector<RowId> rows_;
  std::uint64_t seed_;
  LinkCommand command_;
  std::string head_;            ///< of the program's file, padding_object()'s `like`
  std::size_t code_bytes_ = 0;  ///< of the program
  std::uintmax_t file_bytes_ = 0;
  double link_s_ = 0;
  std::size_t launches_of_each_ = 1;
  ScratchFolder scratch_;
  mutable std::mutex mutex_;
  mutable std::map<RowId, std::size_t> launches_;
  mutable std::map<std::size_t, std::filesystem::path> kept_;  ///< by number
};

}  // namespace ratchet::gate
