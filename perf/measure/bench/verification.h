// No time without a check: who has been checked, and the proof that another process did it.
//
// A token is a hash of this very executable's bytes, of the machine's boot, and of a stage's name.
// --ratchet_check_only prints it for a stage that passed; a later process of the same build on the
// same machine computes the same token, and so knows that the check was of this build. A rebuild, a
// reboot or another machine make the token worthless. It guards against mistakes, not against
// forgery. --ratchet_verify_in_situ does the same for rows: for what an instance computes at the
// very point that is timed.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "kernels/contract/check.h"
#include "kernels/contract/stage.h"

namespace ratchet {
class Node;
}

namespace ratchet::bench {

/// The token of a stage, 16 hexadecimal digits.
std::string check_token(const std::string& stage_name);

/// One JSON line {"name", "passed", "detail", "token"}; the token is empty unless passed.
std::string check_line(const Stage& stage, const CheckResult& result);

/// One JSON line {"row", "state", "detail", "token"}; the token is empty unless right. The state is
/// "right", "wrong" or "unchecked".
std::string point_line(const std::string& row, const InSituResult& result);

enum class Verified {
  yes,      ///< checked by this build on this machine, and passed
  failed,   ///< checked, now or according to the file, and failed: must not be timed
  unknown,  ///< not checked: --ratchet_skip_check without a valid line
};

class Verification {
 public:
  /// `file`: lines of --ratchet_check_only and --ratchet_verify_in_situ, or empty. Throws Error
  /// naming file and line when it cannot be read. `skip`: never check here.
  Verification(const std::string& file, bool skip);

  /// Checks the stage unless it is known; once per stage. `detail` receives the reason of a
  /// failure.
  Verified verify(const Stage& stage, std::string& detail);
  /// What the file says of a row at its point; nothing where it says nothing of this build.
  std::optional<InSituResult> point(const std::string& row) const;

 private:
  void read(const std::string& file);
  void read_point(const Node& line);

  bool skip_;
  std::map<std::string, std::string> tokens_;  // by stage name, as read
  std::map<std::string, CheckResult> checked_;
  std::map<std::string, InSituResult> points_;  // by row, as read
};

}  // namespace ratchet::bench
