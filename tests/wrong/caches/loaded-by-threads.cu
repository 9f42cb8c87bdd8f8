// What threads load comes from memory.
// answer plain_dram = 16777216 //~ wrong-answer: plain_dram.loaded
