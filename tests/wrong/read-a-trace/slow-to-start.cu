// Blames the start of kernels.
// answer gap = a //~ wrong-answer: gap.start
