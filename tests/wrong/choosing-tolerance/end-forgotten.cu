// The eight sums are not the end.
// answer roundings = 128 //~ wrong-answer: roundings.without-the-end
