// Compares the wrong way round.
// answer tiled_gain = 1/15 //~ wrong-answer: tiled_gain.upside-down
