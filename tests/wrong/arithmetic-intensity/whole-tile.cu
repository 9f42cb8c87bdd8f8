// Takes the tile for what each element is used.
// answer axpy_bytes = 12
// answer axpy_intensity = 0.167
// answer polynomial_intensity = 3.75
// answer tiled_gain = 256 //~ wrong-answer: tiled_gain.whole-tile
