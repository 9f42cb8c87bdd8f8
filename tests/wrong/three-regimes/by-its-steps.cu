// Few steps, so memory.
// answer tiny_larger = 1
// answer riddle = b //~ wrong-answer: riddle.memory
