// One bit too few behind the first.
// answer apart = 9 //~ wrong-answer: apart.one-bit-short
