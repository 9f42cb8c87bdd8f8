// What the notebook claims.
// answer tiles = 81
// answer work = 1.42
// answer time = c //~ wrong-answer: time.cliff
