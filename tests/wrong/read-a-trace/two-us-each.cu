// Rounds each bar of `nudge` up to 2 us.
// answer nudge_us = 24 //~ wrong-answer: nudge_us
