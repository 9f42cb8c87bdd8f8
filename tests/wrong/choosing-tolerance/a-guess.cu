// A number from nowhere.
// answer found_by_one_percent = 500 //~ wrong-answer: found_by_one_percent.general
