// Counts the operations that are of use.
// answer tiles = 81
// answer work = 1.02 //~ wrong-answer: work.useful
