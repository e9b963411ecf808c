#include "perf/support/interruption.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

namespace ratchet {
namespace {

std::atomic<int> received = 0;
std::atomic<std::int64_t> received_ms = 0;  ///< since the machine started
std::atomic<bool> keeping = false;
static_assert(std::atomic<int>::is_always_lock_free);

/// What a forced end removes. Of a fixed size, and never freed: a handler of signals may read
/// neither a container nor a string.
struct Unfinished {
  std::atomic<bool> taken = false, named = false;
  std::atomic<pid_t> with_content = 0;  ///< the process that removes it with what is in it
  std::array<char, 1024> path = {};
};
std::array<Unfinished, 64> unfinished;

/// A handler may not walk through a folder, but it may become a shell, which does, and then ends by
/// the signal.
void remove_contents(int number) {
  static const char* const ends[] = {
      "trap '' INT TERM; rm -rf -- \"$@\"; trap - INT TERM; kill -INT $$",
      "trap '' INT TERM; rm -rf -- \"$@\"; trap - INT TERM; kill -TERM $$"};
  std::array<const char*, unfinished.size() + 5> command = {"sh", "-c", ends[number == SIGTERM],
                                                            "ratchet"};
  std::size_t words = 4;
  for (const Unfinished& each : unfinished)
    if (each.named && each.with_content == getpid()) command[words++] = each.path.data();
  if (words == 4) return;
  sigset_t these;
  sigemptyset(&these);
  sigaddset(&these, number);
  sigprocmask(SIG_UNBLOCK, &these, nullptr);  // blocked in its handler, and after exec(), too
  execv("/bin/sh", const_cast<char* const*>(command.data()));
}

void end_at_once(int number) {
  for (const Unfinished& each : unfinished)
    if (each.named && rmdir(each.path.data()) != 0)  // fails where something is in it
      unlink(each.path.data());                      // fails for a folder
  signal(number, SIG_DFL);
  remove_contents(number);
  raise(number);
}

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // one of the few that a handler may call
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1000000;
}

/// timeout(1) signals its command and then its group, with the command in it: that is one wish.
void on_signal(int number) {
  constexpr std::int64_t one_wish_ms = 300;
  int none = 0;
  if (!received.compare_exchange_strong(none, number)) {
    if (number == none && now_ms() - received_ms < one_wish_ms) return;
    return end_at_once(number);
  }
  received_ms = now_ms();
  constexpr std::string_view line =
      "\nratchet: interrupted; ending, and keeping what is finished (once more: end at once)\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    // A shell starts background jobs with SIGINT ignored.
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
}

}  // namespace

void end_cleanly() { handle(end_at_once); }

void catch_interruption() { handle(on_signal); }

int remove_at_end(const std::filesystem::path& path, bool with_content) {
  const std::string text = std::filesystem::absolute(path).string();
  for (std::size_t i = 0; i < unfinished.size() && text.size() < unfinished[i].path.size(); ++i) {
    if (unfinished[i].taken.exchange(true)) continue;
    std::memcpy(unfinished[i].path.data(), text.c_str(), text.size() + 1);
    unfinished[i].with_content = with_content ? getpid() : 0;
    unfinished[i].named = true;
    return static_cast<int>(i);
  }
  return -1;
}

void keep_at_end(int number) {
  if (number < 0) return;
  Unfinished& each = unfinished[static_cast<std::size_t>(number)];
  each.named = false;
  each.taken = false;
}

int interruption() { return received; }

const char* name_of_interruption() { return received == SIGTERM ? "SIGTERM" : "SIGINT"; }

void check_interruption() {
  if (received != 0 && !keeping) throw Interrupted();
}

void keep_results() { keeping = true; }

}  // namespace ratchet
