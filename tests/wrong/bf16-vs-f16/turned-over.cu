// Has the two types the wrong way round.
// answer worse = 0.125 //~ wrong-answer: worse.turned-over
