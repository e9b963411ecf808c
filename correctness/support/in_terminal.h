// Running something before a pseudo-terminal, and what is to be seen there in the end.
#pragma once

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace ratchet {

/// What `act` writes, where all three of its streams are a terminal of 40 columns.
template <class Act>
std::string in_terminal(const Act& act) {
  winsize size{};
  size.ws_col = 40;
  size.ws_row = 10;
  int master = -1;
  std::cout << std::flush;  // or the child writes it, too
  const pid_t child = forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    act();
    std::cout << std::flush;
    _exit(0);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(master, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(master);
  waitpid(child, nullptr, 0);
  return text;
}

/// What stays on the screen of such a text: nothing of what was erased.
inline std::string screen_of(const std::string& text) {
  std::string shown, line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "\x1b[K") == 0) {
      i += 2;  // what stands behind the cursor: all of the line, for it came back to its start
    } else if (text[i] == '\r') {
      if (i + 1 < text.size() && text[i + 1] == '\n') continue;
      line.clear();
    } else if (text[i] == '\n') {
      shown += line + "\n";
      line.clear();
    } else {
      line += text[i];
    }
  }
  return shown + line;
}

}  // namespace ratchet
