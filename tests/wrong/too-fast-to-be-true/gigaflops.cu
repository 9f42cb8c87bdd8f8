// GFLOP/s for TFLOP/s.
// answer rate = 26667 //~ wrong-answer: rate.giga
