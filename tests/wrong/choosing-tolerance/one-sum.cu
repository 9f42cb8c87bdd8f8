// Eight sums or one: the same number of roundings.
// answer roundings = 1024 //~ wrong-answer: roundings.one-sum
