// life/opencl/01_basic: a work-item makes one generation of two words side by side, 64 cells, from
// the twelve words around and in them in global memory. The host swaps the fields between launches.
// With WORDS 1, the article's way, a work-item makes one word, from the nine around and in it.
#if WORDS == 1
uint west_of(uint left, uint word) { return word << 1 | left >> 31; }
uint east_of(uint word, uint right) { return word >> 1 | right << 31; }

// The words (x - 32, y), (x, y) and (x + 32, y).
uint3 row_at(global const uint* field, Universe u, int x, int y) {
  return (uint3)(cells_at(field, u, x - 32, y), cells_at(field, u, x, y),
                 cells_at(field, u, x + 32, y));
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u) {
  const int y = get_global_id(0), x = 32 * (int)get_global_id(1);
  if (y >= u.height) return;
  const long height = u.height, at = get_global_id(1) * height + y;
  uint3 above, own, below;
  if (x > 0 && x + 64 <= u.width && y > 0 && y + 1 < u.height) {
    global const uint* word = field + at;
    above = (uint3)(word[-1 - height], word[-1], word[-1 + height]);
    own = (uint3)(word[-height], word[0], word[height]);
    below = (uint3)(word[1 - height], word[1], word[1 + height]);
  } else {
    above = row_at(field, u, x, y - 1);
    own = row_at(field, u, x, y);
    below = row_at(field, u, x, y + 1);
  }
  next[at] = next_uint(west_of(above.x, above.y), above.y, east_of(above.y, above.z),
                       west_of(below.x, below.y), below.y, east_of(below.y, below.z),
                       west_of(own.x, own.y), east_of(own.y, own.z), own.y) &
             word_mask(u, x);
}
#else

// Row y of the 64 cells from x, and the same moved by a cell to the right and to the left, so that
// each cell has its western and its eastern neighbour in its place.
typedef struct {
  ulong west, middle, east;
} Row;

Row row_of(uint before, uint first, uint second, uint after) {
  Row row;
  row.middle = (ulong)first | (ulong)second << 32;
  row.west = (ulong)(first << 1 | before >> 31) | (ulong)(second << 1 | first >> 31) << 32;
  row.east = (ulong)(first >> 1 | second << 31) | (ulong)(second >> 1 | after << 31) << 32;
  return row;
}

Row row_at(global const uint* field, Universe u, int x, int y) {
  return row_of(cells_at(field, u, x - 32, y), cells_at(field, u, x, y),
                cells_at(field, u, x + 32, y), cells_at(field, u, x + 64, y));
}

ulong cells_of(Row above, Row own, Row below) {
  return next_ulong(above.west, above.middle, above.east, below.west, below.middle, below.east,
                    own.west, own.east, own.middle);
}

// Away from the border the words lie where they seem to, and all cells may live.
void advance_inside(global const uint* own, global uint* next, long height) {
  Row rows[3];
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
    rows[dy + 1] = row_of(own[dy - height], own[dy], own[dy + height], own[dy + 2 * height]);
  const ulong cells = cells_of(rows[0], rows[1], rows[2]);
  next[0] = (uint)cells;
  next[height] = (uint)(cells >> 32);
}

void advance_at_border(global const uint* field, global uint* next, Universe u, int x, int y) {
  const ulong cells = cells_of(row_at(field, u, x, y - 1), row_at(field, u, x, y),
                               row_at(field, u, x, y + 1));
  next[0] = (uint)cells & word_mask(u, x);
  if (x + 32 < u.width) next[u.height] = (uint)(cells >> 32) & word_mask(u, x + 32);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u) {
  const int y = get_global_id(0), x = 64 * (int)get_global_id(1);
  if (y >= u.height) return;
  const long at = 2 * (long)get_global_id(1) * u.height + y;
  if (x > 0 && x + 96 <= u.width && y > 0 && y + 1 < u.height)
    advance_inside(field + at, next + at, u.height);
  else
    advance_at_border(field, next + at, u, x, y);
}
#endif
