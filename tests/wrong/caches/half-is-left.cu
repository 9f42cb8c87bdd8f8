// Half of y is in L2 after the first pass.
// answer twice_large = 1.5 //~ wrong-answer: twice_large.a-part-is-left
