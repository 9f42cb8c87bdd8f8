// Takes all for limited by memory.
// answer tiny_larger = 1
// answer stream_more_work = 1
// answer stream_half = 0.5
// answer crunch_more_work = 1 //~ wrong-answer: crunch_more_work.memory
