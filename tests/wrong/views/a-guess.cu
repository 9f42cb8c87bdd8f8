// A number from nowhere.
// answer in_row = 7 //~ wrong-answer: in_row.general
