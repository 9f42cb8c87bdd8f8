// Eight times the steps, eight times the time.
// answer corner = 28.4
// answer much_longer = 8 //~ wrong-answer: much_longer.by-work
