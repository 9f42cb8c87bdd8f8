// Forgets the second product.
// answer attention = 18432 //~ wrong-answer: attention.scores-only
