// Counts the tiles along one edge.
// answer work = 1.125 //~ wrong-answer: work.one-direction
