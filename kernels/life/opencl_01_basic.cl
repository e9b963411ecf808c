// life/opencl/01_basic: a work-item makes one generation of one word, from the nine words around it
// in global memory. The host swaps the fields between launches.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u) {
  const int y = get_global_id(0), x = 32 * (int)get_global_id(1);
  if (y >= u.height) return;
  uint west[3], middle[3], east[3];
#pragma unroll
  for (int row = 0; row < 3; ++row) {
    const uint left = cells_at(field, u, x - 32, y - 1 + row);
    const uint right = cells_at(field, u, x + 32, y - 1 + row);
    middle[row] = cells_at(field, u, x, y - 1 + row);
    west[row] = middle[row] << 1 | left >> 31;
    east[row] = middle[row] >> 1 | right << 31;
  }
  next[(ulong)(x / 32) * u.height + y] =
      next_uint(west[0], middle[0], east[0], west[2], middle[2], east[2], west[1], east[1],
                middle[1]) &
      word_mask(u, x);
}
