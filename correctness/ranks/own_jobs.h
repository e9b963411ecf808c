// The processes of this test's own jobs: other tests may run the same programs beside.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ratchet {

/// What this process starts from now on carries a mark in its environment, by which it is found.
class OwnJobs {
 public:
  OwnJobs() { setenv(name(), value().c_str(), 1); }

  /// Processes of this process's jobs that run `program`, with `variable` ("NAME=value") in their
  /// environment where one is given. This process is none of them: what it was started with is
  /// what /proc shows of it.
  std::vector<int> running(const std::string& program, const std::string& variable = {}) const {
    namespace fs = std::filesystem;
    std::vector<int> found;
    for (const auto& process : fs::directory_iterator("/proc")) {
      std::error_code none;
      if (fs::read_symlink(process.path() / "exe", none) != program) continue;
      std::ifstream file(process.path() / "environ", std::ios::binary);
      bool own = false, has_variable = variable.empty();
      for (std::string entry; std::getline(file, entry, '\0');) {
        own |= entry == name() + ("=" + value());
        has_variable |= entry == variable;
      }
      if (own && has_variable) found.push_back(std::stoi(process.path().filename()));
    }
    return found;
  }

 private:
  static const char* name() { return "RATCHET_TEST_JOBS_OF"; }
  static std::string value() { return std::to_string(getpid()); }
};

}  // namespace ratchet
