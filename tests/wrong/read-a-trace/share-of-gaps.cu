// The share in which nothing is done.
// answer busy = 13 //~ wrong-answer: busy.idle
