// Counts threads that the guard sends home.
// answer axpy_bytes = 12
// answer axpy_all = 12288 //~ wrong-answer: axpy_all.all-threads
