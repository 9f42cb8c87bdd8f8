// Looks at one row of x only.
// answer in_row = 1
// answer in_flat = 1 //~ wrong-answer: in_flat.as-the-row
