// Larger errors, so more are refused.
// answer refused = c //~ wrong-answer: refused.larger-sums
