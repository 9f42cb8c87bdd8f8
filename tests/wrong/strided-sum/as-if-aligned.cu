// Lets every row begin where a sector begins.
// answer direct_loads = 4
// answer copy_stores = 32
// answer traffic = 10
// answer sooner = a
// answer odd_loads = 4 //~ wrong-answer: odd_loads.as-if-aligned
