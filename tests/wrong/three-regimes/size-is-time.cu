// Four times the data, four times the time.
// answer tiny_larger = 4 //~ wrong-answer: tiny_larger.in-proportion
