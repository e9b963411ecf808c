// life/opencl/02s_steps_a_pass: as 02, but a pass makes up to STEPS generations, and so a tile's
// halo is STEPS cells on each side: of the 64 cells of a band KEPT are written. STEPS is a multiple
// of 4. KEPT cells need not end where a word does; what a band has of a word that another tile has
// the rest of goes there by pieces, of which no two tiles have the same.
#define KEPT (64 - 2 * STEPS)
#if KEPT % 16 == 0
typedef ushort piece;
#else
typedef uchar piece;
#endif

// The cells (x .. x + 63, y), wherever they lie; x is a multiple of 4.
ulong cells_from(global const uint* field, Universe u, int x, int y) {
  const int skipped = x & 31, word = x - skipped;  // down to the word also left of the universe
  ulong cells = (cells_at(field, u, word, y) | (ulong)cells_at(field, u, word + 32, y) << 32);
  cells >>= skipped;
  if (skipped > 0) cells |= (ulong)cells_at(field, u, word + 64, y) << (64 - skipped);
  return cells;
}

// Writes the lowest KEPT bits of `cells` as the cells (x .. x + KEPT - 1, y).
void store_kept(global uint* next, Universe u, int x, int y, ulong cells) {
  const int bits = 8 * sizeof(piece), end = min(x + KEPT, 32 * columns_of(u));
  if (x + KEPT > u.width) cells &= ~0ul >> (64 - (u.width - x));  // bits beyond the width are 0
  for (int at = x; at < end;) {
    global uint* const word = next + (ulong)(at / 32) * u.height + y;
    if (at % 32 == 0 && at + 32 <= x + KEPT) {
      *word = (uint)(cells >> (at - x));
      at += 32;
    } else {
      ((global piece*)word)[at % 32 / bits] = (piece)(cells >> (at - x));
      at += bits;
    }
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u, global ulong* exchange) {
  const int item = get_local_id(0), items = GROUP, buffer = items + 2, kept = items - 2 * STEPS;
  const long columns = (u.width + KEPT - 1) / KEPT;
  const long tiles = columns * ((u.height + kept - 1) / kept);
  global ulong* own = exchange + (ulong)get_group_id(0) * 2 * buffer + item + 1;
  global ulong* later = own + buffer;
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const int x = (int)(tile % columns) * KEPT, top = (int)(tile / columns) * kept - STEPS;
    const int y = top + item, first = x - STEPS;
    // life.cl places a band by the cell that comes HALO cells into it.
    const bool masked = at_border(u, first + HALO, top, items);
    const ulong mask = band_mask(u, first + HALO, y);
    ulong band = cells_from(field, u, first, y);
    for (int generation = 0; generation < u.generations; ++generation) {
      *own = band;
      barrier(CLK_GLOBAL_MEM_FENCE);
      band = next_band(own[-1], band, own[1]);
      if (masked) band &= mask;
      global ulong* const swapped = own;
      own = later;
      later = swapped;
    }
    if (item >= STEPS && item < items - STEPS && y < u.height)
      store_kept(next, u, x, y, band >> STEPS);
  }
}
