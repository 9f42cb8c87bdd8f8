// Takes the 256 threads for the size of the tree.
// answer tree_most = 8 //~ wrong-answer: tree_most.threads
