// Forgets that a copy also writes.
// answer copy_rate = 800 //~ wrong-answer: copy_rate.one-way
