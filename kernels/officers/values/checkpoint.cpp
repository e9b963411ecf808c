#include "kernels/officers/values/checkpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "kernels/support/error.h"

namespace ratchet::officers {
namespace {

constexpr char kMagic[] = "ratchet officers checkpoint 1\n";
constexpr std::size_t kMagicSize = sizeof kMagic - 1;

/// FNV-1a.
std::uint64_t check_sum(const char* bytes, std::size_t size) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < size; ++i)
    sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3u;
  return sum;
}

class Writer {
 public:
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> 8 * i);
  }
  void block(const std::uint8_t* from, std::size_t size) {
    number(size);
    bytes.append(reinterpret_cast<const char*>(from), size);
  }
  std::string bytes;
};

class Reader {
 public:
  Reader(const std::string& bytes, std::size_t at, std::size_t end)
      : bytes_(bytes), at_(at), end_(end) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (end_ - at_ < 8) return fail();
    for (int i = 0; i < 8; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(bytes_[at_++])} << 8 * i;
    return value;
  }
  std::vector<std::uint8_t> block() {
    const std::uint64_t size = number();
    if (size > end_ - at_) return fail(), std::vector<std::uint8_t>{};
    std::vector<std::uint8_t> block(size);
    std::memcpy(block.data(), bytes_.data() + at_, size);
    at_ += size;
    return block;
  }
  bool whole() const { return !failed_ && at_ == end_; }

 private:
  std::uint64_t fail() {
    failed_ = true, at_ = end_;
    return 0;
  }
  const std::string& bytes_;
  std::size_t at_, end_;
  bool failed_ = false;
};

/// Whether what was written to `file` has reached the disk.
bool flushed(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  return done;
}

bool consistent(const State& state) {
  const auto ascending = [](const Rare& a, const Rare& b) { return a.position >= b.position; };
  return state.reach >= kLeastReach && state.head.size() == std::min(state.next, state.reach) &&
         state.tail.size() == std::min(state.next, state.reach) &&
         std::adjacent_find(state.rares.begin(), state.rares.end(), ascending) ==
             state.rares.end() &&
         (state.rares.empty() || state.rares.back().position < state.next);
}

}  // namespace

std::string checkpoint_bytes(const State& state) {
  Writer writer;
  writer.bytes.assign(kMagic, kMagicSize);
  for (const std::uint64_t value :
       {state.next, state.reach, state.sum, state.digest, std::uint64_t{state.largest}})
    writer.number(value);
  writer.block(state.head.data(), state.head.size());
  const std::size_t kept = std::min<std::size_t>(state.tail.size(), state.reach);
  writer.block(state.tail.data() + (state.tail.size() - kept), kept);
  writer.number(state.rares.size());
  for (const Rare& rare : state.rares) writer.number(rare.position), writer.number(rare.value);
  writer.number(check_sum(writer.bytes.data(), writer.bytes.size()));
  return std::move(writer.bytes);
}

State state_from_bytes(const std::string& bytes, const std::string& name) {
  if (bytes.compare(0, kMagicSize, kMagic) != 0)
    throw Error(name + ": no checkpoint of officers, or one of another version");
  const std::size_t end = bytes.size() - std::min<std::size_t>(bytes.size(), 8);
  if (end < kMagicSize || Reader(bytes, end, bytes.size()).number() != check_sum(bytes.data(), end))
    throw Error(name + ": the checkpoint is torn or was altered: use an earlier one");
  Reader reader(bytes, kMagicSize, end);
  State state;
  state.next = reader.number(), state.reach = reader.number(), state.sum = reader.number();
  state.digest = reader.number(), state.largest = static_cast<std::uint32_t>(reader.number());
  state.head = reader.block(), state.tail = reader.block();
  for (std::uint64_t left = reader.number(); left > 0 && !reader.whole(); --left) {
    const std::uint64_t position = reader.number();
    state.rares.push_back({position, static_cast<std::uint32_t>(reader.number())});
  }
  if (!reader.whole() || !consistent(state))
    throw Error(name + ": the checkpoint contradicts itself: use another");
  return state;
}

void save_checkpoint(const State& state, const std::filesystem::path& file) {
  const std::string bytes = checkpoint_bytes(state);
  const std::filesystem::path beside = file.string() + ".new";
  std::ofstream out(beside, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code error;
  const bool on_disk = out && flushed(beside);
  if (on_disk) std::filesystem::rename(beside, file, error);
  if (!on_disk || error)
    throw Error(file.string() + ": the checkpoint cannot be written; what was there is left");
}

State load_checkpoint(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(file.string() + ": no such checkpoint can be read");
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return state_from_bytes(bytes, file.string());
}

}  // namespace ratchet::officers
