// Overlooks the gaps.
// answer busy = 100 //~ wrong-answer: busy.always
