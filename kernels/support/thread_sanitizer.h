// What a thread pool orders, said where ThreadSanitizer sees it. Of a loop whose tasks a library
// runs that is not instrumented (oneTBB as packaged): what stands before the loop comes before each
// task, and each task before what follows the loop. Two tasks stay as unordered as they are.
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
