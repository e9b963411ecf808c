// Pattern files as Golly reads and writes them: RLE (.rle) and plaintext (.cells).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/life/grid/grid.h"

namespace ratchet::life {

enum class PatternFormat { rle, plaintext };

/// A pattern of more cells (rows times columns, 8 GiB packed) is refused: a header of a few bytes
/// must not take the machine's memory.
inline constexpr std::uint64_t kMaxPatternCells = std::uint64_t{1} << 36;

/// Reads a pattern in either format, told apart by its content. The grid is the pattern's own size:
/// x and y of an RLE header; the longest row and the number of rows of plaintext. Throws `Error`
/// "FILE:LINE:COLUMN: what, and what was expected" for anything malformed: an unknown character, a
/// run beyond the header's size, a missing header or '!', a rule other than B3/S23, a side of 0 or
/// beyond kMaxSide, a number that does not fit, more than kMaxPatternCells. Columns count bytes
/// from 1.
Grid read_pattern(const std::filesystem::path& file);

/// The same from text; `name` stands for the file in errors.
Grid parse_pattern(std::string_view text, const std::string& name,
                   std::uint64_t max_cells = kMaxPatternCells);

/// The pattern as text: RLE with lines of at most 70 characters, or plaintext. Reads back equal.
std::string format_pattern(const Grid& grid, PatternFormat format);

/// Writes it, to a temporary file that is then renamed. Throws `Error`; what was there stays.
void write_pattern(const Grid& grid, const std::filesystem::path& file, PatternFormat format);

/// Writes bytes in the same way.
void write_whole(std::string_view bytes, const std::filesystem::path& file);

}  // namespace ratchet::life
