// life/play: a pattern, generation after generation, by any stage.
//
//   ratchet run life play FILE [stage=cpu/07_strided] [generations=1000] [rle=OUT] [gif=OUT]
//                              [png=FOLDER]
//
// On a terminal each frame replaces the last. Elsewhere ten lines tell how it went, and the last
// universe follows if it is small.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <ostream>
#include <thread>

#include "kernels/contract/program.h"
#include "kernels/life/life.h"
#include "kernels/life/pattern/pattern_file.h"
#include "perf/support/error.h"

namespace ratchet::life {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMargin = 64;           // cells around a pattern, on every side
constexpr std::uint64_t kMaxPixels = 1u << 28;  // of all frames: some seconds' work

std::string line_of(std::uint64_t generation, const Grid& grid) {
  const Box box = bounding_box(grid);
  return fmt::format("generation {}: {} cells alive in {} x {} at ({}, {})", generation,
                     grid.population(), box.width, box.height, box.x, box.y);
}

/// The middle of a universe: two cells a character, one above the other.
std::string screen_of(const Grid& grid, std::uint64_t columns, std::uint64_t rows) {
  static const char* const halves[] = {" ", "\u2580", "\u2584", "\u2588"};
  const std::uint64_t width = std::min(columns, grid.width());
  const std::uint64_t height = std::min(2 * rows, grid.height());
  const std::uint64_t left = (grid.width() - width) / 2, top = (grid.height() - height) / 2;
  std::string screen;
  for (std::uint64_t y = top; y < top + height; y += 2) {
    for (std::uint64_t x = left; x < left + width; ++x) {
      const bool lower = y + 1 < top + height && grid.at(x, y + 1);
      screen += halves[unsigned{grid.at(x, y)} + 2 * unsigned{lower}];
    }
    screen += '\n';
  }
  return screen;
}

/// The pixels of a frame as GIF has them: LZW with codes of 3 to 12 bits for 4 colours.
class Lzw {
 public:
  void add(unsigned pixel) {
    if (empty_) return void((empty_ = false, code_ = pixel));
    const auto [found, is_new] = table_.try_emplace({code_, pixel}, next_);
    if (!is_new) return void(code_ = found->second);
    emit(code_);
    code_ = pixel;
    if (next_ == 1u << bits_) ++bits_;
    if (++next_ < 4096) return;
    emit(kClear);
    table_.clear();
    next_ = kEnd + 1, bits_ = 3;
  }
  std::string end() {
    emit(code_), emit(kEnd);
    for (; filled_ > 0; filled_ -= 8, buffer_ >>= 8) bytes_ += static_cast<char>(buffer_ & 255);
    return std::move(bytes_);
  }

 private:
  static constexpr unsigned kClear = 4, kEnd = 5;
  void emit(unsigned code) {
    buffer_ |= std::uint64_t{code} << filled_;
    for (filled_ += static_cast<int>(bits_); filled_ >= 8; filled_ -= 8, buffer_ >>= 8)
      bytes_ += static_cast<char>(buffer_ & 255);
  }
  std::map<std::pair<unsigned, unsigned>, unsigned> table_;
  bool empty_ = true;
  unsigned code_ = 0, next_ = kEnd + 1, bits_ = 3;
  std::uint64_t buffer_ = kClear;  ///< bits not written yet: a clear code first
  int filled_ = 3;
  std::string bytes_;
};

/// How frames are drawn: a square of pixels a cell.
struct Frames {
  Frames(const Grid& grid, std::uint64_t frames, const char* option)
      : scale(std::clamp<std::uint64_t>(400 / std::max(grid.width(), grid.height()), 1, 8)),
        width(grid.width() * scale),
        height(grid.height() * scale) {
    if (width > 65535 || height > 65535 || width * height > kMaxPixels / frames)
      throw Error(
          fmt::format("{}=: {} frames of {} x {} cells are too much here; set fewer generations, a "
                      "larger every, or width and height",
                      option, frames, grid.width(), grid.height()));
  }
  bool alive(const Grid& grid, std::uint64_t x, std::uint64_t y) const {
    return grid.at(x / scale, y / scale);
  }
  std::uint64_t scale, width, height;  ///< in pixels
};

/// An animated GIF, for ever: dark cells are alive.
class Gif {
 public:
  explicit Gif(const Frames& frames) : frames_(frames) {
    bytes_ = "GIF89a" + number(frames.width) + number(frames.height);
    bytes_ += std::string("\xf1\0\0", 3);  // 4 colours, two of which are used
    bytes_ += std::string("\xff\xff\xff\x20\x40\x80\0\0\0\0\0\0", 12);
    bytes_ += std::string("!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);
  }
  void add(const Grid& grid) {
    bytes_ += std::string("!\xf9\x04\0\x05\0\0\0,\0\0\0\0", 13);  // for 50 ms, at (0, 0)
    bytes_ += number(frames_.width) + number(frames_.height) + std::string("\0\x02", 2);
    Lzw pixels;
    for (std::uint64_t y = 0; y < frames_.height; ++y)
      for (std::uint64_t x = 0; x < frames_.width; ++x) pixels.add(frames_.alive(grid, x, y));
    const std::string all = pixels.end();
    for (std::size_t i = 0; i < all.size(); i += 255) {
      const std::string block = all.substr(i, 255);
      bytes_ += static_cast<char>(block.size());
      bytes_ += block;
    }
    bytes_ += '\0';
  }
  std::string file() const { return bytes_ + ";"; }

 private:
  static std::string number(std::uint64_t value) {
    return {static_cast<char>(value & 255), static_cast<char>(value >> 8)};
  }
  Frames frames_;
  std::string bytes_;
};

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

/// A chunk of a PNG: its length, what the checksum (CRC-32) is of, and that.
std::string chunk(const std::string& type, const std::string& data) {
  std::uint32_t crc = ~0u;
  for (const char byte : type + data) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data + big_endian(~crc);
}

/// A grayscale PNG of 1 bit, stored rather than compressed: black cells are alive.
std::string png_of(const Grid& grid, const Frames& frames) {
  std::string data = "\x78\x01";  // of zlib, without compression
  std::uint32_t a = 1, b = 0;     // its checksum, Adler-32
  for (std::uint64_t y = 0; y < frames.height; ++y) {
    std::string row(1 + (frames.width + 7) / 8, '\0');  // a filter of none, then the pixels
    for (std::uint64_t x = 0; x < frames.width; ++x)
      if (!frames.alive(grid, x, y)) row[1 + x / 8] |= static_cast<char>(128 >> x % 8);
    const auto size = static_cast<std::uint16_t>(row.size());  // a block a row
    for (const int byte :
         {int{y + 1 == frames.height}, size & 255, size >> 8, ~size & 255, ~size >> 8})
      data += static_cast<char>(byte);
    data += row;
    for (const char byte : row)
      a = (a + static_cast<unsigned char>(byte)) % 65521, b = (b + a) % 65521;
  }
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big_endian(static_cast<std::uint32_t>(frames.width)) +
                           big_endian(static_cast<std::uint32_t>(frames.height)) +
                           std::string("\1\0\0\0\0", 5)) +
         chunk("IDAT", data + big_endian(b << 16 | a)) + chunk("IEND", "");
}

/// Refuses what could not be written, before anything is computed; makes a folder of frames.
void require_target(const std::string& option, const fs::path& given, bool is_folder) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("{}={}: {}", option, given.string(), why));
  };
  std::error_code error;
  if (is_folder) fs::create_directories(given, error);
  if (error) refuse("the folder cannot be made: " + error.message());
  if (!is_folder && fs::is_directory(given, error)) refuse("is a folder; name a file");
  const fs::path folder = is_folder                 ? given
                          : given.has_parent_path() ? given.parent_path()
                                                    : fs::path(".");
  if (!fs::is_directory(folder, error)) refuse("there is no folder " + folder.string());
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    refuse(folder.string() + " cannot be written to: " + std::strerror(errno));
}

/// Whether a cell at the edge is alive, which has no neighbours beyond.
bool is_at_edge(const Grid& grid) {
  for (std::uint64_t y = 0; y < grid.height(); ++y)
    if (grid.at(0, y) || grid.at(grid.width() - 1, y)) return true;
  for (std::uint64_t x = 0; x < grid.width(); ++x)
    if (grid.at(x, 0) || grid.at(x, grid.height() - 1)) return true;
  return false;
}

/// The pattern in the middle of a universe with room around it.
Grid start_of(const Request& request, const Grid& pattern) {
  const auto side = [&](const char* name, std::uint64_t cells, std::uint64_t shown) {
    const std::uint64_t given = request.parameters.at(name);
    const std::uint64_t room = std::min(std::max(cells + 2 * kMargin, shown), kMaxSide);
    if (given != 0 && given < cells)
      throw Error(fmt::format("{}={}: the pattern needs {}", name, given, cells));
    return given != 0 ? given : room;
  };
  const std::uint64_t width = side("width", pattern.width(), request.columns);
  const std::uint64_t height = side("height", pattern.height(), 2 * request.rows);
  return placed(pattern, width, height, (width - pattern.width()) / 2,
                (height - pattern.height()) / 2);
}

class Play final : public ShortProgram {
 public:
  Play()
      : ShortProgram({.name = "life/play",
                      .summary = "Shows a pattern (RLE or plaintext) as it lives, by any stage",
                      .parameters = {{"generations", 1000, 0, 1'000'000'000, "to live"},
                                     {"every", 1, 1, kMaxSteps, "generations from frame to frame"},
                                     {"rate", 20, 1, 1000, "frames a second, on a terminal"},
                                     {"width", 0, 0, kMaxSide,
                                      "cells in a row; beyond, all is dead. 0: some around"},
                                     {"height", 0, 0, kMaxSide, "rows of cells; the same"}},
                      .words = "FILE",
                      .texts = {{"stage", "the engine; usually the fastest here"},
                                {"rle", "file to write the last universe to, as RLE"},
                                {"gif", "file to write all frames to, as an animated GIF"},
                                {"png", "folder to write all frames to, as GENERATION.png"}}}) {}

  void answer(const Request& request) const override {
    const Parameters& given = request.parameters;
    const std::uint64_t generations = given.at("generations"), every = given.at("every");
    if (generations % every != 0)
      throw Error(fmt::format("generations={} is not a multiple of every={}", generations, every));
    Grid grid = start_of(request, read_pattern(request.words[0]));
    const auto& stage = dynamic_cast<const LifeStage&>(engine_of(
        request, {"life/cuda/05_strided", "life/cpu/08_strided_threads", "life/cpu/05_simd"}));
    Parameters own = stage.defaults();
    own.set({{"width", grid.width()}, {"height", grid.height()}, {"steps", every}});
    const std::string &rle = request.texts.at("rle"), &gif = request.texts.at("gif"),
                      &png = request.texts.at("png");
    std::optional<Frames> frames;
    if (!gif.empty() || !png.empty())
      frames.emplace(grid, generations / every + 1, gif.empty() ? "png" : "gif");
    if (!rle.empty() && rle == gif) throw Error("rle= and gif= name one file; name two");
    for (const char* option : {"rle", "gif", "png"})
      if (const std::string& file = request.texts.at(option); !file.empty())
        require_target(option, file, option == std::string("png"));
    std::optional<Gif> animation;
    if (!gif.empty()) animation.emplace(*frames);
    const auto universe = stage.prepare_universe(own, grid);
    Display display(request, stage.info().name, generations);
    std::uint64_t done = 0;
    while (true) {
      if (animation) animation->add(grid);
      if (!png.empty())
        write_whole(png_of(grid, *frames), fs::path(png) / fmt::format("{:06}.png", done));
      display.show(done, grid);
      if (done == generations || request.stopped()) break;
      universe->run();
      grid = universe->collect();
      done += every;
    }
    display.end(done, grid);
    if (!rle.empty()) write_pattern(grid, rle, PatternFormat::rle);
    if (animation) write_whole(animation->file(), gif);
  }

 private:
  class Display {
   public:
    Display(const Request& request, std::string stage, std::uint64_t generations)
        : request_(request), stage_(std::move(stage)), generations_(generations) {
      if (request.rows == 0)
        request.out << "by " << stage_ << "\n";
      else
        request.out << "\x1b[?25l\x1b[2J";  // without a cursor, cleared
    }
    ~Display() {
      if (request_.rows > 0) request_.out << "\x1b[?25h" << std::flush;
    }
    void show(std::uint64_t done, const Grid& grid) {
      if (edge_.empty() && is_at_edge(grid)) {
        edge_ = fmt::format(
            "generation {}: at the edge of the universe of {} x {} cells, beyond which all is "
            "dead; "
            "set a larger width and height for more room\n",
            done, grid.width(), grid.height());
        if (request_.rows == 0) request_.out << edge_;
      }
      if (request_.rows == 0) {
        // Ten lines, however many generations.
        if (done < next_) return;
        last_ = done;
        next_ = done + std::max<std::uint64_t>(generations_ / 10, 1);
        request_.out << line_of(done, grid) << "\n";
        return;
      }
      request_.out << "\x1b[H" << screen_of(grid, request_.columns, request_.rows - 2)
                   << line_of(done, grid).substr(0, request_.columns) << "\x1b[K\n"
                   << ("by " + stage_).substr(0, request_.columns) << "\x1b[K" << std::flush;
      std::this_thread::sleep_for(std::chrono::milliseconds(1000 / request_.parameters.at("rate")));
    }
    void end(std::uint64_t done, const Grid& grid) {
      if (request_.rows > 0) return void(request_.out << "\n" << edge_);
      if (done != last_) request_.out << line_of(done, grid) << "\n";
      const Box box = bounding_box(grid);
      if (box.width == 0 || box.width > 120 || box.height > 120) return;
      Grid cells(box.width, box.height);
      for (std::uint64_t y = 0; y < box.height; ++y)
        for (std::uint64_t x = 0; x < box.width; ++x)
          cells.set(x, y, grid.at(box.x + x, box.y + y));
      request_.out << format_pattern(cells, PatternFormat::plaintext);
    }

   private:
    const Request& request_;
    std::string stage_, edge_;
    std::uint64_t generations_, next_ = 0, last_ = 0;
  };
};

const ProgramRegistration registered{std::make_unique<Play>()};

}  // namespace
}  // namespace ratchet::life
