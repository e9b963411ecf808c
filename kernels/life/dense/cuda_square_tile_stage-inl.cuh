// The kernel over square tiles, and the stage that launches it.
//
// Included by a stage's file inside its own unnamed namespace, between its Rule and its facts. As
// text, since from functions that stages share the compiler makes other machine code of 00 than the
// one measured.

/// Blocks of one warp, whose x and y number the squares of kFresh x kFresh cells.
__global__ void __launch_bounds__(32) square_tile_pass(const Pass pass) {
  constexpr int kSide = SquareTile::kSide;
  const int across = static_cast<int>(threadIdx.x) % SquareTile::kAcross;
  const int down = static_cast<int>(threadIdx.x) / SquareTile::kAcross;
  const int left = static_cast<int>(blockIdx.x) * SquareTile::kFresh - SquareTile::kHalo;
  const int top = static_cast<int>(blockIdx.y) * SquareTile::kFresh - SquareTile::kHalo;
  SquareTile tile{left + 32 * across, top + SquareTile::kRows * down, {}};
  load(tile, pass);
  if (left < 0 || top < 0 || left + kSide > pass.width || top + kSide > pass.height)
    advance_all<Rule, true>(tile, pass, cells_inside(tile.x, pass.width));
  else
    advance_all<Rule, false>(tile, pass, ~0u);
  store(tile, pass, across, down);
}

#ifdef __CUDACC__  // what launches it
class SquareTileStage : public LifeStage {
 public:
  SquareTileStage();  // the stage's own: its facts

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    const auto launch = [](const Pass& pass) {
      constexpr int kFresh = SquareTile::kFresh;
      const dim3 squares(static_cast<unsigned>((pass.width + kFresh - 1) / kFresh),
                         static_cast<unsigned>((pass.height + kFresh - 1) / kFresh));
      square_tile_pass<<<squares, 32>>>(pass);
    };
    return std::make_unique<TwoGridUniverse<decltype(launch)>>(info().name, parameters, start,
                                                               Order::rows, launch);
  }
};
#endif
