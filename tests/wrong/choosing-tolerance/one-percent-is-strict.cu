// One per cent sounds strict.
// answer worst = c
// answer found_by_one_percent = 1024 //~ wrong-answer: found_by_one_percent.all
