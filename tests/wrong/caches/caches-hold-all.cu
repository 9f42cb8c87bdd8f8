// Whatever was read once is cached.
// answer twice_small = 1
// answer twice_large = 1 //~ wrong-answer: twice_large.cached
