// No time without a check: which stages and rows were checked, in this process or in another one.
//
// A token is a hash of the executable's bytes, the machine's boot id and a stage's name.
// --ratchet_check_only prints it for a stage that passed. A later process of the same build on the
// same machine computes the same token, and so knows that this build was checked. A rebuild, a
// reboot or another machine invalidates it. Tokens guard against mistakes, not against forgery.
// --ratchet_verify_in_situ prints the tokens of rows that passed their in-situ check.
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
  failed,   ///< failed, now or according to the file: must not be timed
  unknown,  ///< not checked: --ratchet_skip_check without a valid line
};

class Verification {
 public:
  /// `file`: output of --ratchet_check_only and --ratchet_verify_in_situ, or empty. Throws Error
  /// naming file and line if it is malformed. `skip`: never check here.
  Verification(const std::string& file, bool skip);

  /// Checks the stage once, unless its result is known. `detail` receives the reason of a failure.
  Verified verify(const Stage& stage, std::string& detail);
  /// The in-situ result of a row in the file; nothing without a line of this build.
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
