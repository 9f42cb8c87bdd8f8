// As many tiles as fit.
// answer tiles = 64 //~ wrong-answer: tiles.as-many-as-fit
