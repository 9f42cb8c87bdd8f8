// Forgets what both write, where it matters.
// answer tiled_gain = 16
// answer one_tile_gain = 16 //~ wrong-answer: one_tile_gain.loads-alone
