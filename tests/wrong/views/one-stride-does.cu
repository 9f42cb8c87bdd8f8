// Takes x.T for a matrix that one stride leads through.
// answer fits = 4096 //~ wrong-answer: fits.all
