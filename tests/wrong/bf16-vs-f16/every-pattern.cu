// Takes every pattern of the exponent for a size.
// answer half_powers = 32 //~ wrong-answer: half_powers.every-pattern
