// Blames the padding.
// answer tiles = 81
// answer work = 1.42
// answer requests = 11
// answer time = b
// answer cause = a //~ wrong-answer: cause.tiles
