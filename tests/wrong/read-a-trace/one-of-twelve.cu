// Reads off one bar.
// answer nudge_us = 1.8 //~ wrong-answer: nudge_us.one
