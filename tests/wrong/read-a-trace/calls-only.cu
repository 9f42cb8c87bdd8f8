// Stops when the host has nothing more to hand out.
// answer row_us = 81 //~ wrong-answer: row_us.calls-only
