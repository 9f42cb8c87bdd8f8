// The difference as it stands.
// answer nearest = c
// answer apart = 37748736 //~ wrong-answer: apart.difference
