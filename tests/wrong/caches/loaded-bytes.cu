// Counts what threads load.
// answer neighbours_l2 = 12 //~ wrong-answer: neighbours_l2.loaded
