// Nothing beyond the last gapless number.
// answer half_powers = 40
// answer bf16_powers = 81
// answer half_wholes = 2048 //~ wrong-answer: half_wholes.up-to-2048
