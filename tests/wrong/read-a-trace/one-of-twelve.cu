// Reads off one bar.
// answer nudge_us = 2.7 //~ wrong-answer: nudge_us.one
