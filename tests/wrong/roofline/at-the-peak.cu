// Believes the data sheet.
// answer corner = 28.4
// answer limited = b
// answer longer = 1
// answer rate = 6912 //~ wrong-answer: rate.peak
