// Forgets that the result is written.
// answer axpy_bytes = 8 //~ wrong-answer: axpy_bytes.no-store
// answer axpy_intensity = 0.25
