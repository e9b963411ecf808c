// officers/extend: the sequence further and further, every value verified, until it is stopped.
//
//   ratchet run officers extend --records FILE          begins, or goes on with FILE
//
// FILE.from, where there is one, is the checkpoint (values/checkpoint.h) to begin with. What is
// known goes to FILE.a and FILE.b in turn, and the line of the record file names the one that is
// whole. Found and kept are every rare position, every largest value, and when n came to a power of
// two.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string_view>

#include "kernels/officers/start/start.h"
#include "kernels/officers/values/checkpoint.h"
#include "kernels/officers/values/compressed.h"
#include "kernels/contract/program.h"
#include "perf/support/error.h"
#include "kernels/contract/preparing_stage.h"

namespace ratchet::officers {
namespace {

namespace fs = std::filesystem;

/// What a line of the record file says.
struct Place {
  std::string file;  ///< ".a" or ".b"
  std::uint64_t next = 0, digest = 0;
  std::uint64_t begin = 0;  ///< where the run began: the first value of FILE.values
  std::optional<std::uint64_t> sum = {};  ///< of FILE.values, FNV-1a; lines of old have none

  std::string line() const {
    return fmt::format("values before {} in {} digest {:016x} since {}", next, file, digest, begin) +
           (sum ? fmt::format(" sum {:016x}", *sum) : "");
  }
};

/// Throws Error for a line that line() did not write.
Place place_of(const std::string& line) {
  Place place;
  char file[8] = {};
  unsigned long long next = 0, digest = 0, begin = 0, sum = 0;
  const int read = std::sscanf(line.c_str(), "values before %llu in %7s digest %llx since %llu sum %llx",
                               &next, file, &digest, &begin, &sum);
  if (read >= 4) place = {file, next, digest, begin};
  if (read == 5) place.sum = sum;
  if (place.line() != line || (place.file != ".a" && place.file != ".b"))
    throw Error("officers/extend: \"" + line +
                "\" is not a state of this program; name another record file (--records)");
  return place;
}

fs::path with(const fs::path& files, const std::string& end) { return files.string() + end; }

State state_to_begin_with(const Parameters& parameters, const fs::path& files) {
  if (fs::exists(with(files, ".from"))) return load_checkpoint(with(files, ".from"));
  return initial_state(parameters.at("reach"));
}

/// The values as bytes (values/compressed.h), from the run's first on. What a killed process wrote
/// behind the last state is cut off; but where there is no state yet, what is there may be all of
/// another run: it is compared with what would be written, and never cut off.
class ValuesFile {
 public:
  /// `kept`: what the records say; nothing where they begin.
  ValuesFile(const fs::path& file, const std::optional<Place>& kept) : file_(file) {
    std::error_code error;
    there_ = fs::exists(file) ? fs::file_size(file, error) : 0;
    if (error) fail();
    if (kept) go_on(*kept);
    if (!fs::exists(file)) std::ofstream(file, std::ios::binary);
    file_stream_.open(file, std::ios::binary | std::ios::in | std::ios::out);
    file_stream_.seekp(static_cast<std::streamoff>(written_));
    if (!file_stream_) fail();
  }
  void append(const std::vector<std::uint16_t>& values) {
    std::string bytes(values.size(), '\0');
    std::transform(values.begin(), values.end(), bytes.begin(),
                   [](std::uint16_t value) { return static_cast<char>(compress(value)); });
    const std::size_t known =
        there_ > written_ ? std::min<std::size_t>(there_ - written_, bytes.size()) : 0;
    if (known > 0) compare(bytes.substr(0, known));
    file_stream_.seekp(static_cast<std::streamoff>(written_ + known));
    file_stream_.write(bytes.data() + known, static_cast<std::streamsize>(bytes.size() - known));
    add_to_sum(bytes);
    written_ += bytes.size();
  }
  void flush() {
    if (!file_stream_.flush()) fail();
  }
  std::uint64_t sum() const { return sum_; }

 private:
  [[noreturn]] void fail() const { throw Error(file_.string() + ": cannot be written"); }

  void go_on(const Place& kept) {
    const std::uint64_t size = kept.next - kept.begin;
    if (there_ < size)
      throw Error(
          fmt::format("{}: {} values, and the records are of {}: it was cut or is another "
                      "run's; put it back, or begin with a new record file",
                      file_.string(), there_, size));
    std::error_code error;
    if (there_ > size) fs::resize_file(file_, size, error);
    if (error) fail();
    written_ = there_ = size;
    std::ifstream in(file_, std::ios::binary);
    std::string bytes(std::size_t{1} << 20, '\0');
    while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || in.gcount() > 0)
      add_to_sum(std::string_view(bytes).substr(0, static_cast<std::size_t>(in.gcount())));
    if (kept.sum && *kept.sum != sum_)
      throw Error(fmt::format("{}: its values are not those that the records are of (sum {:016x}, "
                              "not {:016x}): it was damaged; put it back, or begin with a new "
                              "record file",
                              file_.string(), sum_, *kept.sum));
  }

  void compare(const std::string& bytes) {
    std::string found(bytes.size(), '\0');
    file_stream_.seekg(static_cast<std::streamoff>(written_));
    file_stream_.read(found.data(), static_cast<std::streamsize>(found.size()));
    if (!file_stream_ || found != bytes)
      throw Error(file_.string() +
                  ": holds other values, of another run; move it away, or name another record file "
                  "with --records");
  }

  void add_to_sum(std::string_view bytes) {
    for (const char byte : bytes) sum_ = (sum_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }

  fs::path file_;
  std::fstream file_stream_;
  std::uint64_t there_ = 0, written_ = 0;  ///< bytes
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

/// The fastest stage; among the first values the one that takes rare values first, since vectors
/// have nothing to do there, and their tables ask for more first values than there may be.
const OfficersStage& stage_for(const State& state, bool device) {
  if (state.next >= kCommonFrom) return fastest_stage(state, device);
  return *dynamic_cast<const OfficersStage*>(find_preparing_stage("officers/cpu/03_rare_values"));
}

class Extension final : public ratchet::Work {
 public:
  Extension(const Parameters& parameters, const std::string& line, const fs::path& files)
      : parameters_(parameters), files_(files) {
    if (line.empty()) {
      state_ = state_to_begin_with(parameters, files);
      place_ = {".b", state_.next, state_.digest, state_.next};
    } else {
      place_ = place_of(line);
      state_ = load_checkpoint(with(files, place_.file));
      if (state_.next != place_.next || state_.digest != place_.digest)
        throw Error(
            fmt::format("{}: holds the values before {}, and the records say {}: it is "
                        "another run's",
                        with(files, place_.file).string(), state_.next, place_.next));
    }
    if (parameters.at("values") != 0)
      values_ = std::make_unique<ValuesFile>(
          with(files, ".values"), line.empty() ? std::nullopt : std::optional(place_));
  }

  Slice advance() override {
    Slice slice;
    const OfficersStage& by = stage_for(state_, parameters_.at("device") != 0);
    slice.units = count(by);
    if (slice.units > 0) {
      const auto run = by.prepare_run(by.defaults().set("count", slice.units), state_);
      run->run();
      take_over(run->collect(), slice.records);
    }
    slice.finished = limit() != 0 && state_.next >= limit();
    return slice;
  }

  std::string state() override {
    if (values_) values_->flush();
    place_.file = place_.file == ".a" ? ".b" : ".a";
    place_.next = state_.next, place_.digest = state_.digest;
    if (values_) place_.sum = values_->sum();
    save_checkpoint(state_, with(files_, place_.file));
    return place_.line();
  }

  std::string best() const override {
    return fmt::format("largest {} before n = {}, {} rare positions, sum {}", state_.largest,
                       state_.next, state_.rares.size(), state_.sum);
  }

 private:
  std::uint64_t limit() const { return parameters_.at("end"); }
  /// Values of this slice: up to the next power of two, where the time is noted, and the limit.
  std::uint64_t count(const OfficersStage& by) const {
    std::uint64_t count = parameters_.at("slice");
    if (count == 0)
      count = by.info().backend == Backend::cuda ? std::uint64_t{1} << 24 : std::uint64_t{1} << 18;
    count = std::min(count, std::bit_ceil(state_.next + 1) - state_.next);
    if (limit() != 0) count = std::min(count, std::max(limit(), state_.next) - state_.next);
    return count;
  }
  void take_over(const Result& result, std::vector<std::string>& records) {
    const std::size_t rares = state_.rares.size();
    const std::uint64_t begin = state_.next;
    const std::uint32_t largest = state_.largest;
    state_ = state_after(std::move(state_), result);
    if (values_) values_->append(result.values);
    for (std::size_t i = rares; i < state_.rares.size(); ++i)
      if (state_.rares[i].position > kLastRare)
        records.push_back(
            fmt::format("G({}) = {} New rare!", state_.rares[i].position, state_.rares[i].value));
    if (state_.largest > largest) {
      const auto at = std::find(result.values.begin(), result.values.end(), state_.largest);
      records.push_back(
          fmt::format("largest value: {} at n = {}", state_.largest,
                      begin + static_cast<std::uint64_t>(at - result.values.begin())));
    }
    if (std::has_single_bit(state_.next))
      records.push_back(fmt::format("n = 2^{}: sum {}, digest {:016x}, largest value {}, {} rare",
                                    std::countr_zero(state_.next), state_.sum, state_.digest,
                                    state_.largest, state_.rares.size()));
  }

  Parameters parameters_;
  fs::path files_;
  State state_;
  Place place_;
  std::unique_ptr<ValuesFile> values_;
};

class Extend final : public Program {
 public:
  Extend()
      : Program(
            {.name = "officers/extend",
             .summary = "More and more values in order, every one verified",
             .unit = "values",
             .parameters = {{"end", 0, 0, ~std::uint64_t{0},
                             "the position to stop before; 0: none"},
                            {"slice", 0, 0, std::uint64_t{1} << 28,
                             "values between two looks at the clock; 0: some tenths of a second's"},
                            {"reach", std::uint64_t{1} << 20, kLeastReach, std::uint64_t{1} << 32,
                             "values kept at either end, for verification; FILE.from has its own"},
                            {"device", 1, 0, 1, "1: by a GPU where there is one"},
                            {"values", 0, 0, 1, "1: the values to FILE.values, a byte each"}},
             .keep_every_s = 1}) {}

  std::unique_ptr<ratchet::Work> open(const Parameters& parameters, const std::string& state,
                                      const fs::path& files) const override {
    return std::make_unique<Extension>(parameters, state, files);
  }
};

const ProgramRegistration registered{std::make_unique<Extend>()};

}  // namespace
}  // namespace ratchet::officers
