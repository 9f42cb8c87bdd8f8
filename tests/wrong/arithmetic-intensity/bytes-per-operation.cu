// Has the fraction upside down.
// answer axpy_bytes = 12
// answer axpy_intensity = 6 //~ wrong-answer: axpy_intensity.upside-down
