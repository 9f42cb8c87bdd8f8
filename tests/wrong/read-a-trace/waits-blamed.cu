// Sees waits where there are none.
// answer gap = c //~ wrong-answer: gap.wait
