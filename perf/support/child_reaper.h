// Ends a process group when this process ends, even when it is killed.
#pragma once

#include <sys/types.h>

namespace ratchet {

/// Sends SIGTERM to a process group, and SIGKILL after three seconds. SIGTERM comes first because a
/// build tool starts its compilers in other groups, which only the tool can end. `status`: not null
/// where the group's leader is a child of this process; it is waited for and its status stored.
void end_group(pid_t group, int* status);

/// A process that ends the group when this process ends before this object does. Where it cannot be
/// started, the group is not guarded.
class ChildReaper {
 public:
  explicit ChildReaper(pid_t group);
  ChildReaper(const ChildReaper&) = delete;
  ChildReaper& operator=(const ChildReaper&) = delete;
  ~ChildReaper();

 private:
  int alive_ = -1;  ///< a pipe without data; it closes when this process ends
  pid_t reaper_ = -1;
};

}  // namespace ratchet
