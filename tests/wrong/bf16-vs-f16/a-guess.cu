// A number from nowhere.
// answer half_wholes = 2500 //~ wrong-answer: half_wholes.general
// answer worse = 7.9
