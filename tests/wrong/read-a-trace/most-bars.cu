// Takes the kernel that runs most often.
// answer longest = a //~ wrong-answer: longest.most-bars
