// Counts the tiles of C, and not the steps along k.
// answer work = 1.42
// answer small_work = 4 //~ wrong-answer: small_work.two-directions
