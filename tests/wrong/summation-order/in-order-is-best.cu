// The order of the CPU must be the right one.
// answer nearest = a //~ wrong-answer: nearest.as-written
