// Takes bits for steps.
// answer half_wholes = 3072
// answer worse = 3 //~ wrong-answer: worse.bits
