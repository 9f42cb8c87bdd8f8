// Takes L2 for device memory.
// answer plain_dram = 1114112 //~ wrong-answer: plain_dram.l2
