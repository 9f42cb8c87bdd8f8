// An image of one channel.
// answer conv = 5184 //~ wrong-answer: conv.one-channel
