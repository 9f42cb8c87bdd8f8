// Believes what is printed.
// answer operations = 524288
// answer rate = 26.7
// answer least_ms = 2.3
// answer verdict = a //~ wrong-answer: verdict.believed
