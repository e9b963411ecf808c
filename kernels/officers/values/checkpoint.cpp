#include "kernels/officers/values/checkpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "kernels/officers/front/near_rares.h"
#include "kernels/officers/values/compressed.h"
#include "perf/support/error.h"

namespace ratchet::officers {
namespace {

constexpr char kMagic[] = "ratchet officers checkpoint 1\n";
constexpr std::size_t kMagicSize = sizeof kMagic - 1;
constexpr std::size_t kRareSize = 16;  ///< a position and a value

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
  /// A value of 512 or more fails: no state has one.
  std::uint32_t value() {
    const std::uint64_t value = number();
    return static_cast<std::uint32_t>(value < kValues ? value : fail());
  }
  std::vector<std::uint8_t> block() {
    const std::uint64_t size = number();
    if (size > end_ - at_) return fail(), std::vector<std::uint8_t>{};
    std::vector<std::uint8_t> block(size);
    std::memcpy(block.data(), bytes_.data() + at_, size);
    at_ += size;
    return block;
  }
  std::uint64_t left() const { return end_ - at_; }
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

/// Positions and reaches of files are below it, so that no sum of some of them overflows; no run
/// comes as far.
constexpr std::uint64_t kFarthest = std::uint64_t{1} << 60;

/// Each is a rare value, and is the one whose byte is kept.
bool consistent_rares(const State& state) {
  std::uint64_t least = 0;
  for (const Rare& rare : state.rares) {
    if (rare.position < least || rare.position >= state.next) return false;
    if (!is_rare(rare.value)) return false;
    if (state.holds(rare.position) && state.value(rare.position) != rare.value) return false;
    least = rare.position + 1;
  }
  // Those that the game begins with, without which there are no options.
  for (std::uint64_t n = 0; n < std::min<std::uint64_t>(state.next, 2); ++n)
    if (n >= state.rares.size() || state.rares[n] != Rare{n, 0}) return false;
  return true;
}

/// Values `from` ... of positions that are kept in `bytes`, which begins at `first`.
std::vector<std::uint16_t> values_of(const State& state, const std::vector<std::uint8_t>& bytes,
                                     std::uint64_t first, std::uint64_t from) {
  std::vector<std::uint16_t> values(bytes.size() - (from - first));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint16_t>(uncompress(bytes[from - first + i], false));
  for (const Rare& rare : state.rares)
    if (rare.position >= from && rare.position - from < values.size())
      values[rare.position - from] = static_cast<std::uint16_t>(rare.value);
  return values;
}

/// What is told of all values is true of those that are kept.
bool consistent_values(const State& state) {
  State kept;
  kept.reach = state.reach;
  kept.append(values_of(state, state.head, 0, 0));
  const std::uint64_t first = state.next - state.tail.size();
  const bool all = first <= state.head.size();
  const auto tail = values_of(state, state.tail, first, all ? state.head.size() : first);
  kept.append(tail);
  if (!all) return state.largest >= kept.largest;
  // A tail longer than reach was cut when it was written.
  const auto cut = static_cast<std::ptrdiff_t>(kept.tail.size() - state.tail.size());
  kept.tail.erase(kept.tail.begin(), kept.tail.begin() + cut);
  return kept == state;
}

bool consistent(const State& state) {
  const std::uint64_t kept = std::min(state.next, state.reach);
  return state.next < kFarthest && state.reach >= kLeastReach && state.reach < kFarthest &&
         state.head.size() == kept && state.tail.size() == kept && consistent_rares(state) &&
         consistent_values(state);
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
  state.digest = reader.number(), state.largest = reader.value();
  state.head = reader.block(), state.tail = reader.block();
  const std::uint64_t rares = reader.number();
  // Before any is read: no count makes it read on behind the end.
  const bool all_there = reader.left() % kRareSize == 0 && reader.left() / kRareSize == rares;
  for (std::uint64_t i = 0; all_there && i < rares; ++i) {
    const std::uint64_t position = reader.number();
    state.rares.push_back({position, reader.value()});
  }
  if (!all_there || !reader.whole() || !consistent(state))
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
  State state = state_from_bytes(bytes, file.string());
  // Near options are at distances that stages have compiled in.
  if (!front::begins_as_the_game(state.rares, state.next))
    throw Error(file.string() +
                ": the first values are not those of Officers: use another checkpoint");
  return state;
}

}  // namespace ratchet::officers
