// Every pass goes to memory.
// answer twice_small = 2 //~ wrong-answer: twice_small.both-passes
