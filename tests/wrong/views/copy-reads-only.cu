// Counts each float of the copy once.
// answer fits = 64
// answer copy_bytes = 16384 //~ wrong-answer: copy_bytes.once
