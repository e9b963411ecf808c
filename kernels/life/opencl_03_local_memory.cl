// life/opencl/03_local_memory: the tile of 02, a group each; the rows beside a work-item's own come
// out of local memory. `exchange` holds two buffers of a band for each work-item, used by turns, so
// that one barrier a generation is enough.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u, local ulong* exchange) {
  const int item = get_local_id(0), items = GROUP, kept = items - 2 * HALO;
  const int x = (int)get_group_id(1) * 32, y = (int)get_group_id(0) * kept - HALO + item;
  const ulong mask = band_mask(u, x, y);
  ulong band = band_at(field, u, x, y);
  for (int generation = 0; generation < u.generations; ++generation) {
    local ulong* const now = exchange + (generation & 1) * items;
    now[item] = band;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong above = item > 0 ? now[item - 1] : 0;
    const ulong below = item + 1 < items ? now[item + 1] : 0;
    band = next_band(above, band, below) & mask;
  }
  if (item >= HALO && item < items - HALO) store_band(next, u, x, y, band);
}
