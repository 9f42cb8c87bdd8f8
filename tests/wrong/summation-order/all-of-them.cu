// All additions, in the tree as well.
// answer tree_most = 65535 //~ wrong-answer: tree_most.all-of-them
