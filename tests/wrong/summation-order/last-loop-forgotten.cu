// Only what the threads add.
// answer sequential_most = 65535
// answer strided_most = 255 //~ wrong-answer: strided_most.threads-alone
