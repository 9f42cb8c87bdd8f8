// Leaves out most of the gaps between the bars of `nudge`.
// answer busy = 87 //~ wrong-answer: busy
