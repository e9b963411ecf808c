// A process that ends a group of processes when this one ends, however it does.
#pragma once

#include <sys/types.h>

namespace ratchet {

/// Asks a process group to end, and ends it after three seconds. Asked first, for a build tool puts
/// its compilers into groups of their own, which it alone can end. `status`: receives that of the
/// group's leader where this is a child of ours, which is then waited for.
void end_group(pid_t group, int* status);

/// Watches over a group until it is destroyed. Where no process is to be had for it, nobody does.
class ChildReaper {
 public:
  explicit ChildReaper(pid_t group);
  ChildReaper(const ChildReaper&) = delete;
  ChildReaper& operator=(const ChildReaper&) = delete;
  ~ChildReaper();

 private:
  int alive_ = -1;  ///< nobody writes to it; it ends with this process
  pid_t reaper_ = -1;
};

}  // namespace ratchet
