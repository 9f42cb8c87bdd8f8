// The multiply-adds of the notebook.
// answer linear = 8192
// answer notebook = 4.4 //~ wrong-answer: notebook.multiply-adds
