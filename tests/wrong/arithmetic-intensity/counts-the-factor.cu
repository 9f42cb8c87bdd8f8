// Takes the parameter a for a number from memory.
// answer axpy_bytes = 16 //~ wrong-answer: axpy_bytes.with-the-factor
