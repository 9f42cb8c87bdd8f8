// A number from nowhere.
// answer direct_loads = 4
// answer copy_stores = 32
// answer traffic = 25.5 //~ wrong-answer: traffic.general
// answer sooner = a
