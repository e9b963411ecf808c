// life/opencl/02_multi_step: a work-group simulates a tile, 64 cells wide and one row a work-item,
// and keeps its middle word and all but 16 rows above and below. Between the generations the
// work-items read the rows beside theirs from global memory, out of an area of the group's own,
// `exchange`: two buffers by turns, each with a band more at either end, which is never written and
// spoils rows that are not kept. Nothing is read that another group writes, so a barrier of the
// group is enough. Groups are few, and each takes many tiles, so that the areas stay small.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u, global ulong* exchange) {
  const int item = get_local_id(0), items = GROUP, buffer = items + 2, kept = items - 2 * HALO;
  const long columns = columns_of(u), tiles = columns * ((u.height + kept - 1) / kept);
  global ulong* own = exchange + (ulong)get_group_id(0) * 2 * buffer + item + 1;
  global ulong* later = own + buffer;
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const int x = (int)(tile % columns) * 32, top = (int)(tile / columns) * kept - HALO;
    const int y = top + item;
    const bool masked = at_border(u, x, top, items);
    const ulong mask = band_mask(u, x, y);
    ulong band = band_at(field, u, x, y);
    for (int generation = 0; generation < u.generations; ++generation) {
      *own = band;
      barrier(CLK_GLOBAL_MEM_FENCE);
      band = next_band(own[-1], band, own[1]);
      if (masked) band &= mask;
      global ulong* const swapped = own;
      own = later;
      later = swapped;
    }
    if (item >= HALO && item < items - HALO) store_band(next, u, x, y, band);
  }
}
