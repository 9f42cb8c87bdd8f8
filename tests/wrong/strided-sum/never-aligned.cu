// Lets no row begin where a sector begins.
// answer direct_loads = 4
// answer copy_stores = 32
// answer traffic = 10
// answer sooner = a
// answer odd_loads = 5 //~ wrong-answer: odd_loads.never-aligned
