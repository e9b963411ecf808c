// Annotations of a thread pool's ordering for ThreadSanitizer, for loops whose tasks run in a
// library that is not instrumented (packaged oneTBB). Code before the loop happens before each
// task, and each task before the code after the loop. Tasks stay unordered among themselves.
#pragma once

#include <atomic>

namespace ratchet::pool_order {

#if defined(__SANITIZE_THREAD__)
inline std::atomic<unsigned> forks{0}, ends{0};
inline void loop_begins() { forks.fetch_add(1, std::memory_order_release); }
inline void task_begins() { static_cast<void>(forks.load(std::memory_order_acquire)); }
inline void task_ends() { ends.fetch_add(1, std::memory_order_release); }
inline void loop_ended() { static_cast<void>(ends.load(std::memory_order_acquire)); }
#else
inline void loop_begins() {}
inline void task_begins() {}
inline void task_ends() {}
inline void loop_ended() {}
#endif

}  // namespace ratchet::pool_order
