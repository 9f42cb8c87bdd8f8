// Counts instructions, not operations.
// answer axpy_bytes = 12
// answer axpy_intensity = 1/6
// answer polynomial_intensity = 1.875 //~ wrong-answer: polynomial_intensity.one-operation
