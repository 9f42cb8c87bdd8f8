// Each warp fetches its four sectors and one on either side: 192 bytes for 32 elements.
// answer neighbours_l2 = 6 //~ wrong-answer: neighbours_l2.each-warp-by-itself
