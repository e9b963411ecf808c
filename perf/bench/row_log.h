// Rows written as they are finished, a line of JSON each: a crash in a later row loses none.
#pragma once

#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <string>

namespace ratchet::bench {

/// A file of lines: first {"context": {...}}, then one object per row with the keys of Google
/// Benchmark's `benchmarks` array, an error row included. Several processes may append to one file
/// in turn; each begins with its context.
class RowLog {
 public:
  /// Opens for appending. Throws Error when it cannot.
  explicit RowLog(const std::string& path);

  void context(const benchmark::BenchmarkReporter::Context& context);
  void rows(const std::vector<benchmark::BenchmarkReporter::Run>& runs);
  /// False once a line could not be written (a full disk): the file is not complete.
  bool good() const { return out_.good(); }

 private:
  void line(const std::string& json);

  std::ofstream out_;
  std::ostringstream text_;
  benchmark::JSONReporter reporter_;  // its words are parsed again, so that the keys are the same
};

}  // namespace ratchet::bench
