// What is right must be close.
// answer roundings = 131
// answer refused = a //~ wrong-answer: refused.right-is-close
