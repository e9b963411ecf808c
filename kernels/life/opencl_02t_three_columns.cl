// life/opencl/02t_three_columns: as 02, but a work-item simulates three whole words of its row, 96
// cells, and the middle one is kept. That one is right for as many generations as the words beside
// it have cells, in all but as many rows above and below.
#define STEPS 32
#define PADDING STEPS

// Three words side by side are a uint3, the lowest bit of x the leftmost cell.
NETWORK(uint3)

// Each cell's neighbour to the west, and to the east, in its place. What would come in at either
// end is taken as dead, so that after each generation one cell more is wrong there.
uint3 west_of(uint3 row) { return row << 1 | (uint3)(0, row.xy) >> 31; }
uint3 east_of(uint3 row) { return row >> 1 | (uint3)(row.yz, 0) << 31; }

// One generation of a row, given those above and below.
uint3 next_row(uint3 above, uint3 row, uint3 below) {
  return next_uint3(west_of(above), above, east_of(above), west_of(below), below, east_of(below),
                    west_of(row), east_of(row), row);
}

// The cells of the word (x .. x + 31, y) that may live: all of a torus, else the universe's.
uint living(Universe u, int x, int y) {
  if (u.torus) return ~0u;
  return x < 0 || x >= u.width || y < 0 || y >= u.height ? 0 : word_mask(u, x);
}

// A row in the group's area: its words lie `apart` from each other, each beside those of other
// work-items.
uint3 row_in(global const uint* place, int apart) {
  return (uint3)(place[0], place[apart], place[2 * apart]);
}
void put_row(global uint* place, int apart, uint3 row) {
  place[0] = row.x;
  place[apart] = row.y;
  place[2 * apart] = row.z;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u, global uint* exchange) {
  const int item = get_local_id(0), items = GROUP, apart = items + 2, kept = items - 2 * PADDING;
  const long columns = columns_of(u), tiles = columns * ((u.height + kept - 1) / kept);
  global uint* own = exchange + (ulong)get_group_id(0) * 2 * 3 * apart + item + 1;
  global uint* later = own + 3 * apart;
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const int x = (int)(tile % columns) * 32, top = (int)(tile / columns) * kept - PADDING;
    const int y = top + item;
    const bool masked =
        !u.torus && (x < 32 || x + 64 > u.width || top < 0 || top + items > u.height);
    const uint3 mask = (uint3)(living(u, x - 32, y), living(u, x, y), living(u, x + 32, y));
    uint3 row = (uint3)(cells_at(field, u, x - 32, y), cells_at(field, u, x, y),
                        cells_at(field, u, x + 32, y));
    for (int generation = 0; generation < u.generations; ++generation) {
      put_row(own, apart, row);
      barrier(CLK_GLOBAL_MEM_FENCE);
      row = next_row(row_in(own - 1, apart), row, row_in(own + 1, apart));
      if (masked) row &= mask;
      global uint* const swapped = own;
      own = later;
      later = swapped;
    }
    if (item >= PADDING && item < items - PADDING && y < u.height)
      next[(ulong)(x / 32) * u.height + y] = row.y & word_mask(u, x);
  }
}
