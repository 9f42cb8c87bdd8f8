// A letter was asked for.
// answer direct_loads = 4 sectors
// answer sooner = direct //~ wrong-answer: sooner.unreadable
