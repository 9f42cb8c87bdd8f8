// As much back as forwards.
// answer training = 2 //~ wrong-answer: training.as-much-back
