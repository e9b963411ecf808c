// life/opencl/01_basic: a work-item makes one generation of two words side by side, 64 cells, from
// the twelve words around and in them in global memory. The host swaps the fields between launches.

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

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u) {
  const int y = get_global_id(0), x = 64 * (int)get_global_id(1);
  if (y >= u.height) return;
  const long height = u.height, at = 2 * (long)get_global_id(1) * height + y;
  // Away from the border the words lie where they seem to.
  const bool inside = x > 0 && x + 96 <= u.width && y > 0 && y + 1 < u.height;
  Row rows[3];
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
    global const uint* const own = field + at + dy;
    rows[dy + 1] = inside ? row_of(own[-height], own[0], own[height], own[2 * height])
                          : row_at(field, u, x, y + dy);
  }
  const ulong cells =
      next_ulong(rows[0].west, rows[0].middle, rows[0].east, rows[2].west, rows[2].middle,
                 rows[2].east, rows[1].west, rows[1].east, rows[1].middle);
  next[at] = (uint)cells & (inside ? ~0u : word_mask(u, x));
  if (x + 32 < u.width)
    next[at + height] = (uint)(cells >> 32) & (inside ? ~0u : word_mask(u, x + 32));
}
