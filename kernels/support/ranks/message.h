// Numbers and texts as bytes, between processes of one build on machines of one kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "perf/support/error.h"

namespace ratchet::ranks {

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> Writer& put(const T& value) {
    return put_raw(&value, sizeof value);
  }
  Writer& put_bytes(std::span<const std::byte> data) {
    put<std::uint64_t>(data.size());
    return put_raw(data.data(), data.size());
  }
  Writer& put_text(std::string_view text) {
    return put_bytes(std::as_bytes(std::span(text.data(), text.size())));
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  Writer& put_raw(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
    return *this;
  }
  std::vector<std::byte> bytes_;
};

/// Reads values in the order of writing. Throws `Error` if the message is too short.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> get_bytes() { return take(get<std::uint64_t>()); }
  std::string get_text() {
    const auto text = get_bytes();
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

 private:
  std::span<const std::byte> take(std::size_t size) {
    if (size > rest_.size()) throw Error("a message between ranks is cut short");
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  std::span<const std::byte> rest_;
};

}  // namespace ratchet::ranks
