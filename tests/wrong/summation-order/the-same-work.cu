// Equally many additions, so equally good.
// answer tree_most = 16
// answer nearest = d //~ wrong-answer: nearest.same-number
