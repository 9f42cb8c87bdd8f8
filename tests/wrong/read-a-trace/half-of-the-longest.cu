// Goes for the longest bar.
// answer worth = a //~ wrong-answer: worth.longest-bar
