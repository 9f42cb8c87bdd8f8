// Adds up the bars, and leaves the gaps out.
// answer row_us = 218 //~ wrong-answer: row_us.kernels-only
