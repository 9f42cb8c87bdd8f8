// Adds the time of the bytes to that of the operations.
// answer much_longer = 2.2
// answer microseconds = 32 //~ wrong-answer: microseconds.sum-of-both
