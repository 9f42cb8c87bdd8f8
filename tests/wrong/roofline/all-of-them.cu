// Every kernel reads memory, so memory it is.
// answer limited = c //~ wrong-answer: limited.all
