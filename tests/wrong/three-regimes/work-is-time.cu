// Twice the work, twice the time.
// answer tiny_larger = 1
// answer stream_more_work = 2 //~ wrong-answer: stream_more_work.in-proportion
