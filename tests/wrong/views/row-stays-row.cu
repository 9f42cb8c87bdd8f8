// Takes row 2 of x.T for row 2 of x.
// answer in_row = 64 //~ wrong-answer: in_row.same-row
