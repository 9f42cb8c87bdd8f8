// Twice the places, twice the work.
// answer attention = 36864
// answer longer = 2 //~ wrong-answer: longer.in-proportion
