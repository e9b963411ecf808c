// What runs until it hands over to another, and goes on when another hands over to it.
//
// A ucontext starts a fiber on a stack of its own. _setjmp() and _longjmp() switch: swapcontext()
// would make a system call for the signal mask at each switch, two thirds of the emulator's time.
// Programs that include this are compiled with -U_FORTIFY_SOURCE, whose longjmp() refuses another
// stack.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>

namespace ratchet::on_host {

class Fiber {
 public:
  /// The next switch to this fiber calls `entry`, which must not return, on this stack.
  void prepare(void* stack, std::size_t bytes, void (*entry)()) {
    getcontext(&start_);
    start_.uc_stack.ss_sp = stack;
    start_.uc_stack.ss_size = bytes;
    start_.uc_link = nullptr;
    makecontext(&start_, entry, 0);
    runs_ = false;
  }
  /// From this fiber, which runs, to the other. Returns when something switches to this one. Not
  /// inlined: no variable of a caller may change between the two returns of _setjmp().
  [[gnu::noinline]] void switch_to(Fiber& other) {
    runs_ = true;
    if (_setjmp(point_) == 0) other.go_on();
  }
  /// To this fiber, for good.
  [[noreturn]] void go_on() {
    if (runs_) _longjmp(point_, 1);
    setcontext(&start_);
    __builtin_unreachable();
  }

 private:
  ucontext_t start_{};
  jmp_buf point_{};
  bool runs_ = false;
};

}  // namespace ratchet::on_host
