// Adds up the launch calls.
// answer nudge_us = 54 //~ wrong-answer: nudge_us.calls
