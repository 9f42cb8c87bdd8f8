// One multiply-add for each output.
// answer linear = 256 //~ wrong-answer: linear.outputs
