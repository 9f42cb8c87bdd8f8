// Would count otherwise.
// answer verdict = c //~ wrong-answer: verdict.halved
