// Makes faster what nobody waits for.
// answer worth = c //~ wrong-answer: worth.hidden
