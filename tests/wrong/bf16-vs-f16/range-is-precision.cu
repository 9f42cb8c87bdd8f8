// What is below the largest number must be held.
// answer half_wholes = 4096 //~ wrong-answer: half_wholes.all
