// CUDA's streams and events on a CPU. What is enqueued waits in its stream until the host waits for
// it. Then the streams of all devices are interleaved in an order of the test's choice. Code that
// lacks an event between two streams goes wrong in one of the orders.
//
// Stands in for the CUDA runtime's header in one file of a program. The file includes it first,
// then the code that calls the runtime. The classes of that code get other names than in the rest
// of the program.
#pragma once

#define __CUDA_RUNTIME_API_H__
#define CudaEvent EventOnHost
#define CudaStream StreamOnHost
#define DeviceBuffer BufferOnHost
#define PinnedBuffer PinnedOnHost
#define cuda_check check_on_host

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

/// What is enqueued: called until it says that it is done.
struct CUstream_st {
  std::deque<std::function<bool()>> work;
};
using cudaStream_t = CUstream_st*;

namespace ratchet::on_host {

/// All streams there are.
class Streams {
 public:
  /// In which order streams take turns: one of them as far as it comes, the first made first or the
  /// last; or any, by a seed.
  enum class Order { first, last, any };
  Order order = Order::first;

  void seed(unsigned value) { random_.seed(value); }
  cudaStream_t make() { return all_.emplace_back(std::make_unique<CUstream_st>()).get(); }
  void drop(cudaStream_t stream) {
    std::erase_if(all_, [&](const auto& each) { return each.get() == stream; });
  }
  /// Until `stream`, or each of them, has nothing left.
  void run(cudaStream_t stream = nullptr) {
    while (stream ? !stream->work.empty() : any_left())
      if (!one_step()) throw std::logic_error("streams wait for each other");
  }

 private:
  bool any_left() const {
    return std::any_of(all_.begin(), all_.end(),
                       [](const auto& each) { return !each->work.empty(); });
  }
  bool one_step() {
    std::vector<CUstream_st*> turn;
    for (const auto& each : all_) turn.push_back(each.get());
    if (order == Order::last) std::reverse(turn.begin(), turn.end());
    if (order == Order::any) std::shuffle(turn.begin(), turn.end(), random_);
    for (CUstream_st* each : turn)
      if (!each->work.empty() && each->work.front()()) {
        each->work.pop_front();
        return true;
      }
    return false;
  }
  std::vector<std::unique_ptr<CUstream_st>> all_;
  std::mt19937 random_;
};
inline Streams streams;

inline void enqueue(cudaStream_t stream, std::function<void()> work) {
  stream->work.push_back([work = std::move(work)] {
    work();
    return true;
  });
}

}  // namespace ratchet::on_host

// The runtime's calls, none of which fails.
struct EventState {
  std::shared_ptr<bool> reached;  ///< of the last record
};
using cudaEvent_t = EventState*;
enum cudaError_t { cudaSuccess, cudaErrorNotReady };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum { cudaEventDisableTiming, cudaStreamNonBlocking, cudaHostAllocDefault };

inline const char* cudaGetErrorName(cudaError_t) { return "an error"; }
inline const char* cudaGetErrorString(cudaError_t) { return "an error"; }

/// Full of garbage.
template <class T>
cudaError_t cudaMalloc(T** data, std::size_t bytes) {
  *data = static_cast<T*>(std::malloc(bytes));
  std::memset(*data, 0x5a, bytes);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaHostAlloc(T** data, std::size_t bytes, int) {
  return cudaMalloc(data, bytes);
}
inline cudaError_t cudaFree(void* data) {
  std::free(data);
  return cudaSuccess;
}
inline cudaError_t cudaFreeHost(void* data) { return cudaFree(data); }
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 30;
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* data, int value, std::size_t bytes) {
  std::memset(data, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t stream) {
  ratchet::on_host::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, int) {
  *stream = ratchet::on_host::streams.make();
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, int flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  ratchet::on_host::streams.drop(stream);
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ratchet::on_host::streams.run(stream);
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  ratchet::on_host::streams.run();
  return cudaSuccess;
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, int) {
  *event = new EventState;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->reached = std::make_shared<bool>(false);
  ratchet::on_host::enqueue(stream, [reached = event->reached] { *reached = true; });
  return cudaSuccess;
}
/// For what was recorded last before this call.
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, int) {
  if (event->reached) stream->work.push_back([reached = event->reached] { return *reached; });
  return cudaSuccess;
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
  return !event->reached || *event->reached ? cudaSuccess : cudaErrorNotReady;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  while (cudaEventQuery(event) != cudaSuccess) ratchet::on_host::streams.run();
  return cudaSuccess;
}
