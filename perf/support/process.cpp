#include "perf/support/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "kernels/support/error.h"
#include "perf/support/clock.h"

namespace ratchet {
namespace {

constexpr std::size_t output_limit = std::size_t{4} << 20;
constexpr std::size_t errors_limit = std::size_t{64} << 10;

/// A pipe whose ends close by themselves and do not leak into other children.
struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Error(fmt::format("no pipe for a worker: {}", std::strerror(errno)));
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int which) {
    if (ends[which] >= 0) close(ends[which]);
    ends[which] = -1;
  }
  int ends[2] = {-1, -1};
};

[[noreturn]] void become(const std::vector<std::string>& command, const Environment& environment,
                         const Pipe& out, const Pipe& err) {
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDONLY);
  if (null >= 0) dup2(null, STDIN_FILENO);
  dup2(out.ends[1], STDOUT_FILENO);
  dup2(err.ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "%s\n", std::strerror(errno));
  _exit(127);
}

/// Asks a process group to end, and ends it after three seconds. Asked first, for a build tool puts
/// its compilers into groups of their own, which it alone can end. `status`: receives that of the
/// group's leader where this is a child of ours.
void end_group(pid_t group, int* status) {
  kill(-group, SIGTERM);
  for (int i = 0; i < 300 && kill(-group, 0) == 0; ++i) {
    if (status) waitpid(group, status, WNOHANG);  // or it stays in the group
    usleep(10'000);
  }
  kill(-group, SIGKILL);
  if (status) waitpid(group, status, 0);
}

/// A process that ends a group when this one ends before it is dismissed, however it ends. Runs
/// between fork and exec of others: system calls alone.
class Warden {
 public:
  explicit Warden(pid_t group) : warden_(fork()) {
    if (warden_ == 0) watch(group);
    alive_.close_end(0);
  }
  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;
  ~Warden() {
    if (warden_ <= 0) return;
    kill(warden_, SIGKILL);
    waitpid(warden_, nullptr, 0);
  }

 private:
  [[noreturn]] void watch(pid_t group) {
    setsid();  // ctrl-C is not for it
    const int end = dup2(alive_.ends[0], 0);
    close_range(1, ~0u, 0);
    char byte;
    while (read(end, &byte, 1) < 0 && errno == EINTR) {
    }
    end_group(group, nullptr);
    _exit(0);
  }

  Pipe alive_;  ///< nobody writes; it ends with this process
  pid_t warden_;
};

/// Takes what is there; false at the end of the stream. Output beyond the limit is read and
/// dropped, so that a chatty worker does not block; of stderr the end is kept.
bool drain(Pipe& pipe, std::string& into, std::size_t limit, bool keep_end) {
  char buffer[65536];
  const ssize_t n = read(pipe.ends[0], buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return false;
  into.append(buffer, static_cast<std::size_t>(n));
  if (into.size() > limit) {
    if (keep_end) {
      into.erase(0, into.size() - limit);
    } else {
      into.resize(limit);
    }
  }
  return true;
}

/// Reads both streams until they end or the time is over.
void listen(Pipe& out, Pipe& err, pid_t child, double deadline, ProcessResult& result,
            int& status) {
  bool ended = false;
  while (out.ends[0] >= 0 || err.ends[0] >= 0 || !ended) {
    if (!ended && waitpid(child, &status, WNOHANG) == child) ended = true;
    pollfd streams[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    // Once the child is gone only what is already in the pipes counts: a grandchild may hold them
    // open.
    const bool closed = out.ends[0] < 0 && err.ends[0] < 0;
    const int ready = poll(streams, 2, ended ? 0 : closed ? 1 : 20);
    if (ended && ready == 0) return;
    if (streams[0].revents && !drain(out, result.output, output_limit, false)) out.close_end(0);
    if (streams[1].revents && !drain(err, result.errors, errors_limit, true)) err.close_end(0);
    if (!ended && seconds_now() > deadline) {
      result.timed_out = true;
      return;
    }
  }
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const std::size_t start = text.find_last_of('\n', end);
  const std::size_t first = start == std::string::npos ? 0 : start + 1;
  return text.substr(first, end + 1 - first);
}

}  // namespace

std::string ProcessResult::describe() const {
  if (ok()) return "ended well";
  if (timed_out) return fmt::format("no end within {:.0f} s, killed", seconds);
  const std::string said = last_line(errors);
  const std::string tail = said.empty() ? "" : ": " + said;
  if (signal != 0) return fmt::format("killed by signal {} ({})", signal, strsignal(signal)) + tail;
  return fmt::format("exit code {}", exit_code) + tail;
}

ProcessResult run_process(const std::vector<std::string>& command, double limit_s,
                          const Environment& environment) {
  Pipe out;
  Pipe err;
  const double start = seconds_now();
  const pid_t child = fork();
  if (child < 0)
    throw Error(fmt::format("{} cannot be started: {}", command[0], std::strerror(errno)));
  if (child == 0) become(command, environment, out, err);
  setpgid(child, child);  // here too: whichever of the two runs first
  out.close_end(1);
  err.close_end(1);

  const Warden warden(child);
  ProcessResult result;
  int status = -1;
  listen(out, err, child, start + limit_s, result, status);
  if (result.timed_out) {
    end_group(child, &status);
  } else {
    kill(-child, SIGKILL);  // whatever it left behind
  }
  result.seconds = seconds_now() - start;
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (result.exit_code == 127 && result.output.empty())
    throw Error(fmt::format("{} cannot be started: {}", command[0], last_line(result.errors)));
  return result;
}

std::filesystem::path own_executable() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw Error("this program's own file cannot be found: " + error.message());
  return path;
}

}  // namespace ratchet
