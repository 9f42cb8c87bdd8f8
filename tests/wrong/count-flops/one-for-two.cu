// Counts a multiply-add as one operation.
// answer linear = 4096 //~ wrong-answer: linear.multiply-adds
