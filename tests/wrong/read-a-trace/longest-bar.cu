// Takes the longest bar for the most time.
// answer longest = b //~ wrong-answer: longest.longest-bar
