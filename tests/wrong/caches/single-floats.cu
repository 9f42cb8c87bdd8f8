// Thinks that memory sends single floats.
// answer neighbours_l2 = 4
// answer eighth_dram = 1 //~ wrong-answer: eighth_dram.as-loaded
