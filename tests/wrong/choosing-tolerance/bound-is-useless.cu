// A bound for the worst case must be too wide to find anything.
// answer found_by_one_percent = 0
// answer found_by_bound = a //~ wrong-answer: found_by_bound.too-wide
