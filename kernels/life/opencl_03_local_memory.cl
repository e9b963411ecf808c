// life/opencl/03_local_memory: the tile of 02, a group each; the rows beside a work-item's own come
// out of local memory. `exchange` holds two buffers of a band for each work-item, used by turns, so
// that one barrier a generation is enough; as in 02 each has a band more at either end.
#define LATER (GROUP + 2)  // from a band in the first buffer to that in the second

// The band after the generations of a launch; own[0] is its place in the first buffer.
ulong advanced(local ulong* own, ulong band, Universe u, bool masked, ulong mask) {
  for (int left = u.generations; left > 0; left -= 2) {
    own[0] = band;
    barrier(CLK_LOCAL_MEM_FENCE);
    band = next_band(own[-1], band, own[1]);
    if (masked) band &= mask;
    if (left == 1) break;
    own[LATER] = band;
    barrier(CLK_LOCAL_MEM_FENCE);
    band = next_band(own[LATER - 1], band, own[LATER + 1]);
    if (masked) band &= mask;
  }
  return band;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void advance(
    global const uint* field, global uint* next, Universe u, local ulong* exchange) {
  const int item = get_local_id(0), items = GROUP, kept = items - 2 * HALO;
  const int top = (int)get_group_id(0) * kept - HALO;
  const int x = (int)get_group_id(1) * 32, y = top + item;
  ulong band = band_at(field, u, x, y);
  if (at_border(u, x, top, items))
    band = advanced(exchange + 1 + item, band, u, true, band_mask(u, x, y));
  else
    band = advanced(exchange + 1 + item, band, u, false, 0);
  if (item >= HALO && item < items - HALO) store_band(next, u, x, y, band);
}
