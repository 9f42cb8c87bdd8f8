// Takes the small size for the large one.
// answer tiny_larger = 1
// answer stream_half = 0.5
// answer small_half = 0.5 //~ wrong-answer: small_half.as-before
