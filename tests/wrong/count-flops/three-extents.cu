// All three extents grow.
// answer longer = 8 //~ wrong-answer: longer.cubed
