// Doubts every fast figure.
// answer faster_card = a //~ wrong-answer: faster_card.impossible
