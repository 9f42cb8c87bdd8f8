// What the notebook said.
// answer half_powers = 40
// answer bf16_powers = 81
// answer half_wholes = 3072
// answer worse = 8
// answer sooner = a //~ wrong-answer: sooner.half-the-bits
