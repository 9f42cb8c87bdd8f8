// Forgets the subnormal numbers.
// answer half_powers = 30 //~ wrong-answer: half_powers.normal-only
