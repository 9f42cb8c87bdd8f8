// Takes operations for time.
// answer corner = 28
// answer limited = b
// answer longer = 4 //~ wrong-answer: longer.by-work
