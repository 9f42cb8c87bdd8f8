// Counts a multiply-add as one operation.
// answer operations = 262144 //~ wrong-answer: operations.multiply-adds
