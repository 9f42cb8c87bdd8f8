// Forgets that k is padded too.
// answer tiles = 81
// answer work = 1.27 //~ wrong-answer: work.two-directions
