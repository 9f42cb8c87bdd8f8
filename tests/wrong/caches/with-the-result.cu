// Counts C as well.
// answer plain_dram = 196608 //~ wrong-answer: plain_dram.with-c
