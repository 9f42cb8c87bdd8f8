// Takes the bound for what happens.
// answer refused = b
// answer worst = a //~ wrong-answer: worst.the-bound
