// Takes overhead for what limits stream.
// answer stream_half = 1 //~ wrong-answer: stream_half.overhead
