// The share in which nothing is done.
// answer busy = 19 //~ wrong-answer: busy.idle
