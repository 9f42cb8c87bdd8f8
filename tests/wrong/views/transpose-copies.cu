// Takes x.T for a copy.
// answer in_row = 0 //~ wrong-answer: in_row.a-copy
// answer in_flat = ?
