// A tree of eight is not a row of eight.
// answer roundings = 135 //~ wrong-answer: roundings.end-in-a-row
