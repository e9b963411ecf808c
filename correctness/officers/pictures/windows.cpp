// What a block of threads reads of earlier values, and what its threads tell each other
// (blocks/block.cuh); a picture for the family's page.
#include <fmt/format.h>

#include <algorithm>

#include "correctness/support/drawing.h"
#include "perf/study/report/plots/drawings.h"

namespace ratchet::officers {
namespace {

using correctness::Drawing;

constexpr int block = 8;
constexpr double left = 122, size = 15, high = 17, step = 28;

void heading(Drawing& drawing, double y, const char* title, const char* explanation) {
  drawing.text({8, y}, "left", title, 14);
  drawing.text({8, y + 18}, "left", explanation);
}

/// A row a rare position, the furthest first: the window of its B threads.
void backwards(Drawing& drawing, double y) {
  constexpr int before = 32;  // positions drawn before n
  heading(drawing, y,
          "Backwards: thread x reads the value of n + x - 1 - p, for one rare position p at a time",
          "All threads read side by side. Of the block itself (orange) nothing is known yet: where "
          "x > p, thread x does nothing.");
  const auto x_of = [&](int position) { return left + size * (before + position); };
  const double top = y + 52;
  drawing.text({x_of(0), top - 6}, "left", "n");
  drawing.text({x_of(block), top - 6}, "center", "n + B");
  int row = 0;
  for (const int p : {31, 19, 7, 4, 0}) {
    const double line = top + step * row++;
    drawing.text({left - 10, line + 13}, "right", p == 7 ? "p = B - 1" : fmt::format("p = {}", p));
    drawing.rectangle({x_of(-before), line}, size * before, high, "faint");
    drawing.rectangle({x_of(0), line}, size * block, high, "halo");
    const int start = -1 - p;
    for (int x = 0; x < block; ++x) {
      const bool known = start + x < 0;
      drawing.rectangle({x_of(start + x), line}, size, high, known ? "kept" : "cell");
      if (known)
        drawing.text({x_of(start + x) + size / 2, line + 13}, "center", fmt::format("{}", x));
    }
    drawing.rectangle({x_of(start), line}, size * std::min(block, p + 1), high, "word");
  }
  drawing.text(
      {left, top + step * row + 8}, "left",
      fmt::format("drawn: B = {}; numbers are threads; a window begins at n - 1 - p", block));
}

/// A row a turn: the thread that finishes, and those that it tells.
void forwards(Drawing& drawing, double y) {
  heading(drawing, y, "Forwards: thread x finishes its value and tells it to all threads after it",
          "Thread y adds the sum of G(n + x) and the rare value at p = y - x - 1, if there is one: "
          "what it could not read backwards.");
  const double top = y + 44;
  for (int turn = 0; turn < block; ++turn) {
    const double line = top + step * turn;
    drawing.text({left - 10, line + 13}, "right", fmt::format("x = {}", turn));
    for (int thread = 0; thread < block; ++thread) {
      const double x = left + 4 * size * thread;
      drawing.rectangle({x, line}, 4 * size, high,
                        thread < turn    ? "kept"
                        : thread == turn ? "alive"
                                         : "halo");
      if (thread > turn)
        drawing.text({x + 2 * size, line + 13}, "center", fmt::format("p = {}", thread - turn - 1));
      if (thread < turn) drawing.text({x + 2 * size, line + 13}, "center", "known");
    }
  }
}

nlohmann::json windows() {
  Drawing drawing;
  backwards(drawing, 20);
  forwards(drawing, 258);
  return drawing.spec("The two phases of a block", 790, 258 + 44 + step * block + 8);
}

const report::PictureRegistration registered{"officers", "windows", &windows};

}  // namespace
}  // namespace ratchet::officers
