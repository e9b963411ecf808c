// life/opencl/04_work_per_item: as 03, but a work-item simulates ROWS rows one above the other,
// in registers; local memory passes on its first and its last row alone.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u, local ulong2* exchange) {
  const int item = get_local_id(0), items = GROUP, rows = items * ROWS;
  const int kept = rows - 2 * HALO, top = (int)get_group_id(0) * kept - HALO;
  const int x = (int)get_group_id(1) * 32, y = top + item * ROWS;
  // Only tiles at the border need masks; the condition is the same for the whole group.
  const bool at_border =
      !u.torus && (x < HALO || x + 64 - HALO > u.width || top < 0 || top + rows > u.height);
  ulong band[ROWS];
#pragma unroll
  for (int row = 0; row < ROWS; ++row) band[row] = band_at(field, u, x, y + row);
  for (int generation = 0; generation < u.generations; ++generation) {
    local ulong2* const now = exchange + (generation & 1) * items;
    now[item] = (ulong2)(band[0], band[ROWS - 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong above = item > 0 ? now[item - 1].y : 0;
    const ulong last_below = item + 1 < items ? now[item + 1].x : 0;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      const ulong before = band[row], below = row + 1 < ROWS ? band[row + 1] : last_below;
      band[row] = next_band(above, before, below);
      above = before;
    }
    if (at_border) {
#pragma unroll
      for (int row = 0; row < ROWS; ++row) band[row] &= band_mask(u, x, y + row);
    }
  }
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    const int in_tile = item * ROWS + row;
    if (in_tile >= HALO && in_tile < rows - HALO) store_band(next, u, x, y + row, band[row]);
  }
}
