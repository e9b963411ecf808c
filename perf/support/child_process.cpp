#include "perf/support/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/interruption.h"

namespace ratchet {
namespace {

constexpr std::size_t output_limit = std::size_t{64} << 20;
constexpr std::size_t errors_limit = std::size_t{64} << 10;

void close_end(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

/// Two connected ends that close by themselves and do not leak into other children.
struct Ends {
  explicit Ends(bool both_ways) {
    // To a pipe whose reader is gone one cannot write without a signal; to a socket one can.
    const int failed = both_ways ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)
                                 : pipe2(ends, O_CLOEXEC);
    if (failed != 0) throw Error(fmt::format("no pipe for a worker: {}", std::strerror(errno)));
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  ~Ends() {
    close_end(ends[0]);
    close_end(ends[1]);
  }
  int take(int which) { return std::exchange(ends[which], -1); }
  int ends[2] = {-1, -1};
};

/// `watched`: gets a byte as soon as this child ends with its parent, and ends with the parent
/// until then.
[[noreturn]] void become(const std::vector<std::string>& command, const Environment& environment,
                         int in, int out, int err, Ends& watched) {
  setpgid(0, 0);
  close_end(watched.ends[1]);
  char byte;
  ssize_t got;
  do got = read(watched.ends[0], &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) _exit(127);  // the parent was killed before
  if (in < 0) in = open("/dev/null", O_RDONLY);
  if (in >= 0) dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "%s\n", std::strerror(errno));
  _exit(127);
}

/// Of a process that exited and was not waited for: the kernel keeps its counts until then.
std::optional<Scheduled> scheduled(pid_t process) {
  const std::string folder = fmt::format("/proc/{}/", process);
  double ran_ns = 0, queued_ns = 0;
  if (!(std::ifstream(folder + "schedstat") >> ran_ns >> queued_ns) || !(ran_ns > 0))
    return std::nullopt;
  constexpr std::string_view key = "voluntary_ctxt_switches:";
  std::ifstream status(folder + "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key))
      return Scheduled{1e-9 * queued_ns, std::strtoull(line.c_str() + key.size(), nullptr, 10)};
  return std::nullopt;
}

/// Reads the available output, and closes the stream at its end. Output beyond the limit is
/// dropped, so that a worker that prints much does not block; of stderr the end is kept. True where
/// some was dropped.
bool drain(int& stream, std::string& into, std::size_t limit, bool keep_end) {
  char buffer[65536];
  const ssize_t n = read(stream, buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (n <= 0) {
    close_end(stream);
    return false;
  }
  into.append(buffer, static_cast<std::size_t>(n));
  if (into.size() <= limit) return false;
  if (keep_end) {
    into.erase(0, into.size() - limit);
  } else {
    into.resize(limit);
  }
  return true;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const Environment& environment,
                           Stdin input)
    : program_(command[0]), start_s_(seconds_now()) {
  check_interruption();
  std::optional<Ends> in;
  if (input == Stdin::open) in.emplace(true);
  Ends out(false), err(false), watched(false);
  child_ = fork();
  if (child_ < 0)
    throw Error(fmt::format("{} cannot be started: {}", program_, std::strerror(errno)));
  if (child_ == 0)
    become(command, environment, in ? in->ends[1] : -1, out.ends[1], err.ends[1], watched);
  setpgid(child_, child_);  // here too: whichever of the two runs first
  reaper_.emplace(child_);  // an interrupted gate leaves no worker behind
  while (write(watched.ends[1], "", 1) < 0 && errno == EINTR) {
  }
  if (in) in_ = in->take(0);
  out_ = out.take(0);
  err_ = err.take(0);
}

ChildProcess::~ChildProcess() {
  if (child_ > 0) {
    kill(-child_, SIGKILL);
    reap(0);
  }
  for (int* end : {&in_, &out_, &err_}) close_end(*end);
}

void ChildProcess::reap(int wait_options) {
  if (ended_) return;
  siginfo_t exited{};
  if (waitid(P_PID, static_cast<id_t>(child_), &exited, WEXITED | WNOWAIT | wait_options) == 0 &&
      exited.si_pid == child_)
    result_.scheduled = scheduled(child_);
  rusage used{};
  if (wait4(child_, &status_, wait_options, &used) != child_) return;
  ended_ = true;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  result_.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
  result_.peak_bytes = 1024 * static_cast<double>(used.ru_maxrss);
}

void ChildProcess::spread_threads(const std::vector<int>& cpus) {
  std::vector<pid_t> threads;
  std::error_code gone;
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", child_), gone))
    threads.push_back(static_cast<pid_t>(std::stol(thread.path().filename().string())));
  std::sort(threads.begin(), threads.end());
  for (std::size_t i = cpus.size() == 1 ? 0 : 1; i < threads.size(); ++i) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus[i % cpus.size()], &one);
    sched_setaffinity(threads[i], sizeof one, &one);  // one that ended meanwhile needs none
  }
}

void ChildProcess::write_line(const std::string& line) {
  const std::string text = line + "\n";
  send(in_, text.data(), text.size(), MSG_NOSIGNAL);
}

/// Reads both streams until they end, or with `until_line` a line is there. False when the time was
/// over first.
bool ChildProcess::listen(double deadline, bool until_line) {
  while (out_ >= 0 || err_ >= 0 || !ended_) {
    if (until_line && (out_ < 0 || result_.output.find('\n') != std::string::npos)) break;
    reap(WNOHANG);
    pollfd streams[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
    // After the child's exit only the data already in the pipes count: a grandchild may keep them
    // open.
    const bool closed = out_ < 0 && err_ < 0;
    const double timeout_s = std::min(closed ? 0.001 : 0.02, deadline - seconds_now());
    const timespec wait{0, ended_ ? 0 : static_cast<long>(1e9 * std::max(0.0, timeout_s))};
    const int ready = ppoll(streams, 2, &wait, nullptr);
    if (ended_ && ready == 0) {
      close_end(out_);
      close_end(err_);
      break;
    }
    if (streams[0].revents) result_.output_cut |= drain(out_, result_.output, output_limit, false);
    if (streams[1].revents) drain(err_, result_.errors, errors_limit, true);
    if (!ended_ && seconds_now() > deadline) return false;
    check_interruption();
  }
  return true;
}

double ChildProcess::cpu_seconds() const {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(child_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void ChildProcess::pause() { kill(-child_, SIGSTOP); }
void ChildProcess::resume() { kill(-child_, SIGCONT); }

std::optional<std::string> ChildProcess::read_line(double limit_s) {
  listen(seconds_now() + limit_s, true);
  const std::size_t end = result_.output.find('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::string line = result_.output.substr(0, end);
  result_.output.erase(0, end + 1);
  return line;
}

ProcessResult ChildProcess::finish(double limit_s) {
  close_end(in_);
  try {
    result_.timed_out = !listen(seconds_now() + limit_s, false);
  } catch (const Interrupted&) {
    end_group(child_, &status_);  // not SIGKILL at once, see there
    child_ = -1;
    throw;
  }
  if (result_.timed_out) {
    result_.limit_s = limit_s;  // it may take seconds to end
    end_group(child_, &status_);
  } else {
    kill(-child_, SIGKILL);  // whatever it left behind
    reap(WNOHANG);
  }
  reaper_.reset();
  child_ = -1;
  result_.seconds = seconds_now() - start_s_;
  if (WIFSIGNALED(status_)) result_.signal = WTERMSIG(status_);
  if (WIFEXITED(status_)) result_.exit_code = WEXITSTATUS(status_);
  // A shell was started: the command that it did not find is named in its own words.
  if (result_.exit_code == 127 && result_.output.empty() && program_ != "sh" && program_ != "env")
    throw Error(fmt::format("{} cannot be started: {}", program_, result_.last_error()));
  return std::move(result_);
}

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
