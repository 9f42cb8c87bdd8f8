// The rate of multiply-adds.
// answer operations = 524288
// answer rate = 13.3 //~ wrong-answer: rate.multiply-adds
