// Counts what threads ask for.
// answer direct_loads = 4
// answer copy_stores = 32
// answer traffic = 3 //~ wrong-answer: traffic.useful-bytes
