// What the OpenCL kernels of the Game of Life share: put in front of each.
//
// The field is kept in columns of words: word y of column c holds cells (32 c .. 32 c + 31, y), the
// lowest bit the leftmost cell, and lies at c * height + y. Neighbouring work-items work on
// neighbouring rows and so on neighbouring words. Bits beyond the width are 0.

typedef struct {
  int width, height;
  int torus;        // 1: opposite sides are joined; 0: the outside is dead
  int generations;  // of this launch
} Universe;         // the host's struct of the same name mirrors it

int columns_of(Universe u) { return (u.width + 31) / 32; }

int wrapped(int at, int size) {
  at %= size;
  return at < 0 ? at + size : at;
}

// Word y of the column that begins with cell x, inside the universe.
uint word_at(global const uint* field, Universe u, int x, int y) {
  return field[(ulong)(x / 32) * u.height + y];
}

// The cells (x .. x + 31, y) of a torus whose seam runs through words, piece by piece.
uint cells_over_seam(global const uint* field, Universe u, int x, int y) {
  uint cells = 0;
  int at = wrapped(x, u.width);
#pragma unroll 1
  for (int done = 0; done < 32;) {
    cells |= word_at(field, u, at, y) >> at % 32 << done;  // bits beyond the width are 0
    const int taken = min(32 - at % 32, u.width - at);
    done += taken;
    at = at + taken == u.width ? 0 : at + taken;
  }
  return cells;
}

// The cells (x .. x + 31, y), wherever they lie; x is a multiple of 32.
uint cells_at(global const uint* field, Universe u, int x, int y) {
  const bool in_rows = y >= 0 && y < u.height;
  if (in_rows && x >= 0 && x + 32 <= u.width) return word_at(field, u, x, y);
  if (!u.torus) return in_rows && x >= 0 && x < u.width ? word_at(field, u, x, y) : 0;
  return cells_over_seam(field, u, x, wrapped(y, u.height));
}

// The bits of the word of cells (x .. x + 31) that are cells of the universe.
uint word_mask(Universe u, int x) {
  return x + 32 <= u.width ? 0xffffffffu : (1u << (u.width - x)) - 1;
}

// The network is the text's, for words of 32 and of 64 cells.
#define NETWORK(word)                                                                          \
  word full_adder_##word(word a, word b, word c, word* carry) {                                \
    const word both = a ^ b;                                                                   \
    *carry = (a & b) | (both & c);                                                             \
    return both ^ c;                                                                           \
  }                                                                                            \
  /* The next generation of `centre`, from words of its eight neighbours: 4x + 2(y + z) + w. */ \
  word next_##word(word a, word b, word c, word d, word e, word f, word g, word h,             \
                   word centre) {                                                              \
    word l, m, y, x;                                                                           \
    const word i = full_adder_##word(a, b, c, &l);                                             \
    const word j = full_adder_##word(d, e, f, &m);                                             \
    const word k = g ^ h, n = g & h;                                                           \
    const word w = full_adder_##word(i, j, k, &y);                                             \
    const word z = full_adder_##word(l, m, n, &x);                                             \
    return (centre | w) & (y ^ z) & ~x;                                                        \
  }
NETWORK(uint)
NETWORK(ulong)

// The kernels of several generations a launch work on bands: 64 cells of a row in one ulong, the
// text's two shifted 32-bit windows side by side. Of the three words loaded half of either outer
// one is in it: cells x - 16 .. x + 47. After t generations its t outermost cells on either side
// are wrong, as are the t outermost rows of the tile that a work-group simulates; after 16 the
// middle word is still right.
#define HALO 16

ulong band_at(global const uint* field, Universe u, int x, int y) {
  const uint left = cells_at(field, u, x - 32, y), right = cells_at(field, u, x + 32, y);
  return (ulong)(left >> 16) | (ulong)cells_at(field, u, x, y) << 16 | (ulong)right << 48;
}

// The cells of a band at (x, y) that may live: all of a torus, else those of the universe.
ulong band_mask(Universe u, int x, int y) {
  if (u.torus) return ~0ul;
  if (y < 0 || y >= u.height) return 0;
  const int first = max(HALO - x, 0), end = min(u.width - x + HALO, 64);
  return ~0ul >> (64 - end) & ~0ul << first;
}

// Whether a tile of `rows` rows from (x, y) needs masks: the same for all of a work-group.
bool at_border(Universe u, int x, int y, int rows) {
  return !u.torus && (x < HALO || x + 64 - HALO > u.width || y < 0 || y + rows > u.height);
}

// One generation of a band, given those above and below.
ulong next_band(ulong above, ulong band, ulong below) {
  return next_ulong(above << 1, above, above >> 1, below << 1, below, below >> 1, band << 1,
                    band >> 1, band);
}

void store_band(global uint* next, Universe u, int x, int y, ulong band) {
  if (y < u.height)
    next[(ulong)(x / 32) * u.height + y] = (uint)(band >> HALO) & word_mask(u, x);
}
