// Divides the wrong way.
// answer corner = 0.035 //~ wrong-answer: corner.upside-down
