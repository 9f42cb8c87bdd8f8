// Each element is added once.
// answer sequential_most = 1 //~ wrong-answer: sequential_most.one-each
