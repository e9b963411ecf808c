#include "perf/support/interruption.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>

namespace ratchet {
namespace {

std::atomic<int> received = 0;
std::atomic<bool> keeping = false;
static_assert(std::atomic<int>::is_always_lock_free);

/// Of a fixed size, and never freed: a handler of signals may read neither a container nor a string.
std::array<std::atomic<const char*>, 32> new_folders;
std::atomic<std::size_t> count_of_folders = 0;

void on_signal(int number) {
  int none = 0;
  if (received.compare_exchange_strong(none, number)) {
    constexpr std::string_view line =
        "\nratchet: interrupted; keeping what was measured (once more: end at once)\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
    return;
  }
  for (const auto& folder : new_folders)
    if (folder) rmdir(folder);  // fails where something is in it
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

void catch_interruption() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    // A shell starts background jobs with SIGINT ignored.
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
}

void remove_at_end_if_empty(const std::filesystem::path& folder) {
  const std::size_t place = count_of_folders++;
  if (place < new_folders.size())
    new_folders[place] = strdup(std::filesystem::absolute(folder).c_str());
}

int interruption() { return received; }

const char* name_of_interruption() { return received == SIGTERM ? "SIGTERM" : "SIGINT"; }

void check_interruption() {
  if (received != 0 && !keeping) throw Interrupted();
}

void keep_results() { keeping = true; }

}  // namespace ratchet
