// Counts one row of x.
// answer linear = 1024 //~ wrong-answer: linear.weights
