#include "perf/support/child_reaper.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace ratchet {
namespace {

/// Runs after fork in a process that had threads, so it may only use system calls.
[[noreturn]] void watch(pid_t group, int alive) {
  setsid();  // ctrl-C must not end it
  dup2(alive, 0);
  close_range(1, ~0u, 0);
  char byte;
  while (read(0, &byte, 1) < 0 && errno == EINTR) {
  }
  end_group(group, nullptr);
  _exit(0);
}

}  // namespace

void end_group(pid_t group, int* status) {
  kill(-group, SIGTERM);
  kill(-group, SIGCONT);  // a stopped process does not handle SIGTERM
  for (int i = 0; i < 300 && kill(-group, 0) == 0; ++i) {
    if (status) waitpid(group, status, WNOHANG);  // else the zombie keeps the group alive
    usleep(10'000);
  }
  kill(-group, SIGKILL);
  if (status) waitpid(group, status, 0);
}

ChildReaper::ChildReaper(pid_t group) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  reaper_ = fork();
  if (reaper_ == 0) watch(group, ends[0]);
  close(ends[0]);
  alive_ = ends[1];
}

ChildReaper::~ChildReaper() {
  if (reaper_ > 0) {
    kill(reaper_, SIGKILL);
    waitpid(reaper_, nullptr, 0);
  }
  if (alive_ >= 0) close(alive_);
}

}  // namespace ratchet
