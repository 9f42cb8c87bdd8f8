// Counts the bytes of one way.
// answer polynomial_intensity = 7.5 //~ wrong-answer: polynomial_intensity.one-way
