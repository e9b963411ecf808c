// Pattern files: what is read, what is refused and where, and that what is written reads back.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "kernels/contract/program.h"
#include "kernels/life/life.h"
#include "kernels/life/pattern/pattern_file.h"
#include "perf/study/run/run.h"
#include "perf/support/process.h"
#include "reference/life.h"

namespace ratchet::life {
namespace {

namespace fs = std::filesystem;

Grid grid_of(const std::vector<std::string>& rows) {
  Grid grid(rows.at(0).size(), rows.size());
  for (std::uint64_t y = 0; y < grid.height(); ++y)
    for (std::uint64_t x = 0; x < grid.width(); ++x) grid.set(x, y, rows[y].at(x) == 'O');
  return grid;
}

const Grid kGlider = grid_of({".O.", "..O", "OOO"});
const std::string kHeader = "x = 3, y = 3, rule = B3/S23\n";

TEST(LifePattern, ReadsWhatGollyWrites) {
  for (const char* text : {
           "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n",
           "#CXRLE Pos=0,-1377 Gen=3480106827776\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!",
           "#N Glider\n#O Richard K. Guy\n#C a comment with b, o, $ and !\n#P 5 5\n#R -1 -1\n"
           "x = 3, y = 3\nbo$2bo$3o!",
           "#r 23/3\nx=3,y=3\nbo$2bo$3o!",
           "\r\n#C\r\nx = 3, y = 3, rule = b3/s23\r\nbo$\r\n2bo$\r\n3o!\r\n",
           "#C\rx = 3, y = 3\rbo$2b\ro$3o!",
           "  x\t=\t3 ,  y = 3 , rule = 23/3 \t\n bo $\t2 bo$3\no !",
           "x = 3, y = 3, rule = S23/B3\n1b1o1b$2b1o1$ooo$!",
           "x = 3, y = 3, rule = B3S23\nbob$2bo$3o!and then\nwhat you like: 9z",
           "X = 3, Y = 3, Rule = Life\nbo$2bo\n#C between\n$3o!",
           "x = 3, y = 3, rule = b3/s32\n01bo$002bo$0003o$!"  // in any order; zeros in front
       })
    EXPECT_EQ(parse_pattern(text, "f"), kGlider) << "in: " << text;
}

TEST(LifePattern, ReadsPlaintext) {
  for (const char* text :
       {".O.\n..O\nOOO\n", "!Name: Glider\n!\n.*\n..*\n***", ".O \t\r\n..O\r\n!between\r\nOOO\r\n"})
    EXPECT_EQ(parse_pattern(text, "f"), kGlider) << "in: " << text;
  EXPECT_EQ(parse_pattern("\n\n.O", "f"), grid_of({"..", "..", ".O"}));
  EXPECT_EQ(parse_pattern(".O.\n\n..O\n\n", "f"), grid_of({".O.", "...", "..O", "..."}));
}

TEST(LifePattern, RowsThatEndEarlyAndRowsThatAreSkipped) {
  EXPECT_EQ(parse_pattern("x = 4, y = 5\no$$2bo2$o!", "f"),
            grid_of({"O...", "....", "..O.", "....", "O..."}));
  EXPECT_EQ(parse_pattern("x = 2, y = 2\n!", "f"), Grid(2, 2));
  EXPECT_EQ(parse_pattern("x = 2, y = 2\n2$!", "f"), Grid(2, 2));
}

struct Malformed {
  const char* text;
  const char* place;  ///< "LINE:COLUMN"
  const char* what;   ///< part of the message
};

TEST(LifePattern, RefusesWithLineAndColumn) {
  for (const Malformed& bad : std::vector<Malformed>{
           {"", "1:1", "the end of the file at the start"},
           {" \n\n", "3:1", "the end of the file at the start"},
           {"bo$2bo$3o!", "1:1", "'b' at the start of a pattern"},
           {"\xEF\xBB\xBF.O", "1:1", "byte 0xEF"},
           {"#C only a comment", "1:18", "'x' was expected at the start of the header"},
           {"#C\nbo$2bo$3o!", "2:1", "'x' was expected at the start of the header"},
           {"#Life 1.06\n0 0\n", "1:1", "Life 1.05 or 1.06"},
           {"#r 36/23\nx = 3, y = 3\n!", "1:4", "other than B3/S23"},
           {"x 3, y = 3\n!", "1:3", "'=' was expected after x"},
           {"x = , y = 3\n!", "1:5", "',' where a number of columns was expected"},
           {"x = -3, y = 3\n!", "1:5", "'-' where a number of columns was expected"},
           {"x = 3 y = 3\n!", "1:7", "',' was expected after the number of columns"},
           {"x = 3, z = 3\n!", "1:8", "'y' was expected"},
           {"x = 3, y =\n!", "1:11", "the end of the line where a number of rows was expected"},
           {"x = 3, y = 3 rule = B3/S23\n!", "1:14", "',' was expected after the number of rows"},
           {"x = 3, y = 3, ruler = B3/S23\n!", "1:19", "'r' where '=' was expected after rule"},
           {"x = 0, y = 3\n!", "1:1", "each side must be 1 to 1048576"},
           {"x = 3, y = 0\n!", "1:1", "each side must be 1 to 1048576"},
           {"x = 1048577, y = 3\n!", "1:5", "a number of columns beyond 1048576"},
           {"x = 3, y = 99999999999999999999999\n!", "1:12", "a number of rows beyond 1048576"},
           {"x = 1048576, y = 1048576\n!", "1:1", "more than the 68719476736 that are read"},
           {"x = 3, y = 3, rule = B36/S23\n!", "1:22", "a rule other than B3/S23"},
           {"x = 3, y = 3, rule = B3/S\n!", "1:22", "a rule other than B3/S23"},
           {"x = 3, y = 3, rule = 3/23\n!", "1:22", "a rule other than B3/S23"},
           {"x = 3, y = 3, rule = B3/S239\n!", "1:22", "a rule other than B3/S23"},
           {"x = 3, y = 3, rule = 233\n!", "1:22", "a rule other than B3/S23"},
           {"x = 3, y = 3, rule = Lifeless\n!", "1:22", "a rule other than B3/S23"},
           {"x = 3, y = 3, rule = \n!", "1:22", "a rule other than B3/S23"},
           {"x = 3, y = 3, rule = B3/S23:T100,100\n!", "1:28", "a bounded grid"},
           {"x = 3, y = 3\nbo$2bo$3o", "2:10", "the end of the file without a '!'"},
           {"x = 3, y = 3\nbo$2bo$3o\n", "3:1", "the end of the file without a '!'"},
           {"x = 3, y = 3\nbo$2bo$3", "2:9", "the end of the file without a '!'"},
           {"x = 3, y = 3", "1:13", "the end of the file without a '!'"},
           {"x = 3, y = 3\r\nbo$\r\n2bz$3o!", "3:3", "'z' in the pattern"},
           {"x = 3, y = 3\rbo$\r2bz$3o!", "3:3", "'z' in the pattern"},
           {"x = 3, y = 3\nbo\xFF", "2:3", "byte 0xFF in the pattern"},
           {"x = 3, y = 3\n4o!", "2:1", "a run to column 4 of a row of 3 cells"},
           {"x = 3, y = 3\no2bo!", "2:4", "a run to column 4 of a row of 3 cells"},
           {"x = 3, y = 3\n4b!", "2:1", "a run to column 4 of a row of 3 cells"},
           {"x = 3, y = 3\n3$o!", "2:3", "a row beyond the 3 of the header"},
           {"x = 3, y = 3\n4$!", "2:1", "a row beyond the 3 of the header"},
           {"x = 3, y = 3\n2$$$!", "2:4", "a row beyond the 3 of the header"},
           {"x = 3, y = 3\n0o!", "2:1", "a run of 0 cells"},
           {"x = 3, y = 3\nb3!", "2:2", "a number before '!'"},
           {"x = 3, y = 3\nb18446744073709551617o!", "2:2", "a run beyond 1048576"},
           {"x = 3, y = 3\nx = 3, y = 3\no!", "2:1", "'x' in the pattern"},
           {"!only a comment\n", "2:1", "where rows of '.' and 'O' were expected"},
           {".O\n.o\n", "2:2", "'o' in a plaintext pattern"},
           {".O\n. O\n", "2:2", "a blank inside a row"},
           {".O.\r\n..2\r\n", "2:3", "'2' in a plaintext pattern"},
       }) {
    const std::string message = error_of([&] { parse_pattern(bad.text, "dir/f.rle"); });
    EXPECT_TRUE(message.starts_with(std::string("dir/f.rle:") + bad.place + ": "))
        << bad.text << "\n  " << message << "\n  expected " << bad.place;
    EXPECT_NE(message.find(bad.what), std::string::npos) << bad.text << "\n  " << message;
    EXPECT_LACKS(message, '\n');
  }
}

TEST(LifePattern, RefusesWhatIsTooLargeToHold) {
  EXPECT_EQ(parse_pattern("x = 10, y = 10\n!", "f", 100), Grid(10, 10));
  EXPECT_HAS(error_of([] { parse_pattern("x = 10, y = 10\n!", "f", 99); }), "f:1:1: ");
  EXPECT_HAS(error_of([] { parse_pattern("...\n...\n", "f", 5); }), "more than the 5");
  const std::string row(kMaxSide + 1, '.');
  EXPECT_HAS(error_of([&] { parse_pattern(row, "f"); }), "f:1:1048577: a row of more than");
  const std::string rows(kMaxSide + 1, '\n');
  EXPECT_HAS(error_of([&] { parse_pattern("." + rows + ".", "f"); }), "1048576 rows");
}

/// Soups, patches in a corner, full and empty grids of sizes around words, as both formats.
TEST(LifePattern, WhatIsWrittenReadsBackEqual) {
  for (const std::uint64_t width : {1, 2, 31, 63, 64, 65, 128, 130, 1000})
    for (const std::uint64_t height : {1, 2, 7, 64})
      for (const unsigned density : {0, 1, 20, 128, 250, 256}) {
        const Grid random = soup(width, height, width + height, density);
        const Grid shifted = placed(random, width + 67, height + 3, 66, 2);
        for (const Grid& grid : {random, shifted})
          for (const PatternFormat format : {PatternFormat::rle, PatternFormat::plaintext}) {
            const std::string text = format_pattern(grid, format);
            ASSERT_EQ(parse_pattern(text, "f"), grid) << text;
            EXPECT_EQ(format_pattern(parse_pattern(text, "f"), format), text);
          }
      }
}

TEST(LifePattern, RleHasShortLinesAndNoUselessRuns) {
  EXPECT_EQ(format_pattern(kGlider, PatternFormat::rle), kHeader + "bo$2bo$3o!\n");
  EXPECT_EQ(format_pattern(Grid(3, 3), PatternFormat::rle), kHeader + "!\n");
  EXPECT_EQ(format_pattern(grid_of({"O..", "...", "..O"}), PatternFormat::rle),
            kHeader + "o2$2bo!\n");
  EXPECT_EQ(format_pattern(kGlider, PatternFormat::plaintext), ".O.\n..O\nOOO\n");
  std::istringstream lines(format_pattern(soup(700, 90, 3, 128), PatternFormat::rle));
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line); longest = std::max(longest, line.size()))
    ASSERT_LE(line.size(), 70u) << line;
  EXPECT_GE(longest, 69u);  // and not much shorter than they may be
}

class LifePatternFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("life_pattern_" + std::to_string(getpid()));
};

TEST_F(LifePatternFile, IsReplacedWholeOrNotAtAll) {
  const fs::path file = folder_ / "glider.rle";
  write_pattern(kGlider, file, PatternFormat::plaintext);
  EXPECT_EQ(read_pattern(file), kGlider);
  write_pattern(Grid(5, 4), file, PatternFormat::rle);
  EXPECT_EQ(read_pattern(file), Grid(5, 4));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);  // nothing temporary is left
  const fs::path nowhere = folder_ / "no" / "such.rle";
  const std::string message =
      error_of([&] { write_pattern(kGlider, nowhere, PatternFormat::rle); });
  EXPECT_TRUE(message.starts_with(nowhere.string() + ": cannot be written: ")) << message;
  // A folder cannot be replaced by a file: the rename fails, after the text was written.
  const std::string taken = error_of([&] { write_pattern(kGlider, folder_, PatternFormat::rle); });
  EXPECT_TRUE(taken.starts_with(folder_.string() + ": cannot be written: ")) << taken;
  EXPECT_FALSE(std::any_of(fs::directory_iterator(folder_.parent_path()), {}, [&](const auto& e) {
    return e.path().string().starts_with(folder_.string() + ".");
  }));
}

/// Two blocks, which stay where they are, in a pattern that is wider than it is high.
TEST_F(LifePatternFile, AStageStartsWithItInTheMiddle) {
  std::ofstream(folder_ / "wide.rle") << "x = 10, y = 2\n2o6b2o$2o6b2o!\n";
  const auto& stage = dynamic_cast<const LifeStage&>(*find_stage("life/cpu/04_packed_bits"));
  for (const auto& [width, height, x, y] :
       {std::array{100, 61, 45, 29}, {101, 60, 45, 29}, {10, 40, 0, 19}, {30, 2, 10, 0}}) {
    Parameters parameters = stage.defaults();
    parameters.set("width", static_cast<std::uint64_t>(width));
    parameters.set("height", static_cast<std::uint64_t>(height)).set("steps", std::uint64_t{3});
    const auto start = stage.prepare_input(parameters, folder_ / "wide.rle");
    auto& universe = dynamic_cast<Universe&>(*start);
    universe.run();
    const Grid grid = universe.collect();
    EXPECT_EQ(grid.population(), 8u);
    for (const int block : {0, 8})
      EXPECT_TRUE(
          grid.at(static_cast<std::uint64_t>(x + block), static_cast<std::uint64_t>(y)) &&
          grid.at(static_cast<std::uint64_t>(x + block + 1), static_cast<std::uint64_t>(y + 1)))
          << width << " x " << height;
  }
}

TEST_F(LifePatternFile, WhatCannotBeReadIsSaidSo) {
  const auto message = [](const fs::path& file) { return error_of([&] { read_pattern(file); }); };
  EXPECT_EQ(message(folder_ / "none.rle"),
            (folder_ / "none.rle").string() + ": there is no such file");
  EXPECT_HAS(message(folder_), "is not a regular file");
  EXPECT_HAS(message("/dev/zero"), "is not a regular file");
  std::ofstream(folder_ / "bad.cells") << ".O\n.X\n";
  EXPECT_TRUE(
      message(folder_ / "bad.cells").starts_with((folder_ / "bad.cells").string() + ":2:2: "));
}

class LifePlay : public LifePatternFile {
 protected:
  const ShortProgram& play_ = dynamic_cast<const ShortProgram&>(*find_program("life", "play"));

  void answer(const std::vector<std::string>& given, std::ostream& out) const {
    run::run_short_program(play_, given, out);
  }
  std::string answer(const std::vector<std::string>& given) const {
    std::ostringstream out;
    answer(given, out);
    return out.str();
  }
  /// On a terminal.
  std::string shown(std::size_t columns, std::size_t rows, std::uint64_t width = 0) const {
    std::ostringstream out;
    Request request{play_.defaults(), {glider()}, {}, out, columns, rows};
    for (const TextParameter& text : play_.info().texts) request.texts[text.name];
    request.texts["stage"] = "cpu/01_trivial";
    request.parameters.set({{"generations", 4}, {"rate", 1000}, {"width", width}});
    play_.answer(request);
    return out.str();
  }
  std::string glider() const {
    write_pattern(kGlider, folder_ / "glider.rle", PatternFormat::rle);
    return folder_ / "glider.rle";
  }
};

/// Four cells born of R-pentomino's five: 33 generations, in steps of 1 and of 11, by every stage.
TEST_F(LifePlay, EveryStageThatRunsHereGivesTheSamePattern) {
  const fs::path start = folder_ / "start.rle", end = folder_ / "end.rle";
  const Grid pattern = grid_of({".OO", "OO.", ".O."});
  write_pattern(pattern, start, PatternFormat::rle);
  reference::life::Universe defined{131, 140, std::vector<std::uint8_t>(131 * 140)};
  for (std::uint64_t y = 0; y < 3; ++y)
    for (std::uint64_t x = 0; x < 3; ++x) defined.cells[(68 + y) * 131 + 64 + x] = pattern.at(x, y);
  defined = reference::life::run(defined, 33, reference::life::Edge::dead);
  int stages = 0;
  for (const Stage* stage : registry()) {
    if (stage->info().family() != "life" || !stage->availability().ok) continue;
    ++stages;
    for (const char* every : {"every=1", "every=11"}) {
      answer({start, "stage=" + stage->info().name, "generations=33", every, "height=140",
              "rle=" + end.string()});
      const Grid grid = read_pattern(end);
      for (std::size_t i = 0; i < defined.cells.size(); ++i)
        ASSERT_EQ(grid.at(i % 131, i / 131), defined.cells[i] == 1)
            << stage->info().name << " " << every << ": cell " << i;
    }
  }
  EXPECT_GE(stages, 8);
}

TEST_F(LifePlay, WithoutATerminalTenLinesAndThePattern) {
  const std::string said = answer({glider(), "generations=40", "stage=cpu/05_simd"});
  EXPECT_TRUE(
      said.starts_with("by life/cpu/05_simd\n"
                       "generation 0: 5 cells alive in 3 x 3 at (64, 64)\n"
                       "generation 4: 5 cells alive in 3 x 3 at (65, 65)\n"))
      << said;
  EXPECT_TRUE(
      said.ends_with("generation 40: 5 cells alive in 3 x 3 at (74, 74)\n"
                     ".O.\n..O\nOOO\n"))
      << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 15);
  EXPECT_TRUE(answer({glider(), "generations=0"}).ends_with("(64, 64)\n.O.\n..O\nOOO\n"));
}

TEST_F(LifePlay, OnATerminalHalfBlocksOfTheMiddle) {
  const std::string said = shown(20, 10);
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 5 * 9 + 1) << "five frames and the end";
  // The glider's first rows: ".O." over "..O", then "OOO"; its centre is the middle of the screen.
  EXPECT_HAS(said, "\u2580\u2584");
  EXPECT_HAS(said, "\u2580\u2580\u2580");
  EXPECT_TRUE(said.ends_with("\x1b[?25h")) << "the cursor is shown again";
}

/// The pixels of all frames of a GIF that play.cpp wrote, by GIF's definition.
std::vector<std::string> frames_of(const std::string& gif) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(gif.at(at)); };
  std::vector<std::string> frames;
  std::size_t at = 13 + 12;
  while (byte(at) != ';') {
    const bool image = byte(at) == ',';
    at += image ? 11 : 2;
    std::string data;
    for (; byte(at) != 0; at += byte(at) + 1u) data += gif.substr(at + 1, byte(at));
    ++at;
    if (!image) continue;
    std::vector<std::string> table;
    std::string pixels, before;
    std::size_t bit = 0;
    for (unsigned bits = 3, code = 4; code != 5;) {
      code = 0;
      for (unsigned i = 0; i < bits; ++i, ++bit)
        code |= (static_cast<unsigned char>(data.at(bit / 8)) >> bit % 8 & 1u) << i;
      if (code == 4) {
        table = {{'\0'}, {'\1'}, {'\2'}, {'\3'}, "", ""};
        bits = 3, before.clear();
      } else if (code != 5) {
        const std::string now = code < table.size() ? table[code] : before + before.substr(0, 1);
        if (!before.empty()) table.push_back(before + now[0]);
        if (table.size() == 1u << bits && bits < 12) ++bits;
        pixels += before = now;
      }
    }
    frames.push_back(pixels);
  }
  return frames;
}

TEST_F(LifePlay, AGifHasEveryFrame) {
  const fs::path file = folder_ / "soup.gif", start = folder_ / "soup.rle";
  const Grid pattern = soup(300, 500, 3, 128);  // so many codes that the table begins anew
  write_pattern(pattern, start, PatternFormat::rle);
  answer({start, "generations=2", "every=1", "width=300", "height=500", "gif=" + file.string()});
  std::ostringstream gif;
  gif << std::ifstream(file, std::ios::binary).rdbuf();
  EXPECT_TRUE(gif.str().starts_with(std::string("GIF89a\x2c\x01\xf4\x01", 10)));
  const std::vector<std::string> frames = frames_of(gif.str());
  ASSERT_EQ(frames.size(), 3u);
  std::string first;
  for (std::uint64_t i = 0; i < 300 * 500; ++i) first += pattern.at(i % 300, i / 300) ? '\1' : '\0';
  EXPECT_EQ(frames[0], first);
  EXPECT_EQ(frames[2].size(), first.size());
  EXPECT_NE(frames[2], frames[0]);
}

/// Decodes PNGs by Python's zlib, which verifies Adler-32: rows of '.' and 'O', O where black.
constexpr char kDecoder[] = R"(
import struct, sys, zlib
for file in sys.argv[1:]:
  png, data, at = open(file, 'rb').read(), b'', 8
  assert png[:8] == b'\x89PNG\r\n\x1a\n'
  while at < len(png):
    size, kind = struct.unpack('>I4s', png[at:at + 8])
    body = png[at + 8:at + 8 + size]
    assert struct.unpack('>I', png[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
    if kind == b'IHDR': width, height, *rest = struct.unpack('>IIBBBBB', body)
    if kind == b'IDAT': data += body
    at += 12 + size
  assert kind == b'IEND' and rest == [1, 0, 0, 0, 0]
  rows, line = zlib.decompress(data), 1 + (width + 7) // 8
  assert len(rows) == line * height and not any(rows[::line])
  for y in range(height):
    row = rows[y * line + 1:(y + 1) * line]
    print(''.join('O.'[row[x // 8] >> 7 - x % 8 & 1] for x in range(width)))
)";

TEST_F(LifePlay, PngsHaveEveryFrameShown) {
  const fs::path start = folder_ / "soup.rle", frames = folder_ / "new" / "frames";
  const Grid pattern = soup(75, 60, 3, 128);  // five pixels a side of a cell, a row no whole bytes
  write_pattern(pattern, start, PatternFormat::rle);
  answer({start, "generations=6", "every=3", "width=75", "height=60", "png=" + frames.string()});
  EXPECT_EQ(std::distance(fs::directory_iterator(frames), fs::directory_iterator()), 3);
  reference::life::Universe defined{75, 60, std::vector<std::uint8_t>(75 * 60)};
  for (std::uint64_t i = 0; i < 75 * 60; ++i) defined.cells[i] = pattern.at(i % 75, i / 75);
  std::string expected;
  for (int frame = 0; frame < 3; ++frame) {
    for (std::uint64_t i = 0; i < 5 * 75 * 5 * 60; ++i) {
      expected += ".O"[defined.cells[i / 375 / 5 * 75 + i % 375 / 5]];
      if (i % 375 == 374) expected += '\n';
    }
    defined = reference::life::run(defined, 3, reference::life::Edge::dead);
  }
  const ProcessResult decoded = run_process({"python3", "-c", kDecoder, frames / "000000.png",
                                             frames / "000003.png", frames / "000006.png"},
                                            60);
  EXPECT_TRUE(decoded.ok()) << decoded.errors;
  EXPECT_TRUE(decoded.output == expected);
}

TEST_F(LifePlay, TheEdgeIsNamedOnceWithItsGeneration) {
  const std::string edge =
      "generation 253: at the edge of the universe of 131 x 131 cells, beyond which all is dead; "
      "set a larger width and height for more room\n";
  const std::string said = answer({glider(), "generations=400", "stage=cpu/05_simd"});
  EXPECT_HAS(said, "\n" + edge);
  EXPECT_EQ(said.find("at the edge"), said.rfind("at the edge")) << said;
  const auto mentions = [&](const std::vector<std::string>& more) {
    std::vector<std::string> given = {glider(), "stage=cpu/05_simd"};
    given.insert(given.end(), more.begin(), more.end());
    return answer(given).find("at the edge") != std::string::npos;
  };
  EXPECT_FALSE(mentions({"generations=252"}));
  EXPECT_FALSE(mentions({"generations=400", "width=240", "height=240"}));
  EXPECT_TRUE(mentions({"generations=0", "width=3"})) << "left and right";
  EXPECT_TRUE(mentions({"generations=0", "height=3"})) << "above and below";
  for (const char* cell : {"x=3,y=3\nbo!", "x=3,y=3\n$o!", "x=3,y=3\n$2bo!", "x=3,y=3\n2$bo!"}) {
    std::ofstream(folder_ / "cell.rle") << cell;
    EXPECT_NE(answer({folder_ / "cell.rle", "generations=0", "width=3", "height=3"}).find("edge"),
              std::string::npos)
        << cell;
  }
  // On a terminal each frame replaces the last: at the end.
  EXPECT_HAS(shown(20, 10, 3), "generation 0: at the edge of the universe of 3 x 131 cells");
}

TEST_F(LifePlay, FilesThatCannotBeWrittenAreRefusedFirst) {
  const std::string file = glider();
  const auto error = [&](const std::vector<std::string>& options) {
    std::vector<std::string> given = {file};
    given.insert(given.end(), options.begin(), options.end());
    std::ostringstream out;
    const std::string message = error_of([&] { answer(given, out); });
    EXPECT_EQ(out.str(), "") << "it began";
    return message;
  };
  const std::string why = ": there is no folder /nosuch";
  EXPECT_EQ(error({"gif=/nosuch/x.gif"}), "gif=/nosuch/x.gif" + why);
  EXPECT_EQ(error({"rle=/nosuch/x"}), "rle=/nosuch/x" + why);
  EXPECT_EQ(error({"rle=" + folder_.string()}),
            "rle=" + folder_.string() + ": is a folder; name a file");
  EXPECT_EQ(error({"png=" + file}), "png=" + file + ": the folder cannot be made: Not a directory");
  EXPECT_EQ(error({"gif=x", "rle=x"}), "rle= and gif= name one file; name two");
}

TEST_F(LifePlay, BadRequestsAreOneLine) {
  std::ofstream(folder_ / "bad.rle") << "x = 3, y = 3\nbob$2qo$3o!\n";
  const auto error = [&](const std::vector<std::string>& given) {
    return error_of([&] { answer(given); });
  };
  EXPECT_TRUE(
      error({folder_ / "bad.rle"}).starts_with((folder_ / "bad.rle").string() + ":2:6: 'q'"));
  EXPECT_EQ(error({glider(), "generations=5", "every=2"}),
            "generations=5 is not a multiple of every=2");
  EXPECT_EQ(error({glider(), "width=2"}), "width=2: the pattern needs 3");
  EXPECT_TRUE(error({glider(), "stage=cpu/77"}).starts_with("stage=life/cpu/77: there is no such"));
  EXPECT_TRUE(error({glider(), "gif=x", "generations=100000"}).starts_with("gif=: 100001 frames"));
  EXPECT_FALSE(fs::exists("x"));
}

}  // namespace
}  // namespace ratchet::life
