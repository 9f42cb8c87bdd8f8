// Counts the bytes of a request, not its sectors.
// answer direct_loads = 128 //~ wrong-answer: direct_loads.bytes
