// Takes the data sheet's numbers.
// answer corner = 25.3 //~ wrong-answer: corner.data-sheet
