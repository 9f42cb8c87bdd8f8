// Forgets the additional tiles.
// answer tiles = 81
// answer work = 1.42
// answer requests = 8 //~ wrong-answer: requests.loads-alone
