// Thinks that 16 bits have one range.
// answer half_powers = 40
// answer bf16_powers = 40 //~ wrong-answer: bf16_powers.as-half
