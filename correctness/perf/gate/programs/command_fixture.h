// `ratchet gate --exec` of a command that prints what it is told.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "correctness/perf/gate/gate_fixture.h"

namespace ratchet {

class CommandGate : public GateFixture {
 protected:
  /// Of constant figures a verdict does not depend on the machine.
  void figures(const std::string& time, const std::string& size, const std::string& score) {
    write(folder() / "figures", "{\"name\": \"time\", \"value\": " + time +
                                    ", \"unit\": \"ms\"}\n{\"name\": \"size\", \"value\": " + size +
                                    ", \"unit\": \"MB\"}\n{\"name\": \"score\", \"value\": " +
                                    score + ", \"unit\": \"points\", \"direction\": \"larger\"}\n");
  }
  std::string printing() const { return "cat " + (folder() / "figures").string(); }
  ProcessResult exec(const std::string& command, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"env", "-C", folder().string(), built_program("perf/ratchet"),
                               "gate", "--exec", command, "--budget-s", "10"});
    ProcessResult result = run_process(more, 60);
    result.output += result.errors;
    return result;
  }
  ProcessResult in_folder(const std::string& command) {
    return run_process({"env", "-C", folder().string(), "sh", "-c", command}, 60);
  }
  ProcessResult ratchet_here(const std::string& words) {
    ProcessResult result = in_folder(built_program("perf/ratchet") + " " + words);
    result.output += result.errors;
    return result;
  }
  std::size_t launches() const {
    const std::string log = read(folder() / "log");
    return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n'));
  }
};

}  // namespace ratchet
