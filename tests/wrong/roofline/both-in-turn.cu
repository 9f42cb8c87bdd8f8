// Adds the time of the bytes to that of the operations.
// answer much_longer = 2.2
// answer microseconds = 64 //~ wrong-answer: microseconds.sum-of-both
