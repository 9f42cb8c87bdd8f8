// Half of the least time.
// answer least_ms = 1.16 //~ wrong-answer: least_ms.multiply-adds
