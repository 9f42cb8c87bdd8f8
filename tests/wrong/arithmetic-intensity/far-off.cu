// No mistake that has a name.
// answer polynomial_intensity = 2.5 //~ wrong-answer: polynomial_intensity.general
