// A sector for each element, as if no other thread used it.
// answer neighbours_l2 = 32 //~ wrong-answer: neighbours_l2.a-sector-each
