// What the notebook said.
// answer direct_loads = 4
// answer copy_stores = 32
// answer traffic = 9.9
// answer sooner = b //~ wrong-answer: sooner.tidy-first
