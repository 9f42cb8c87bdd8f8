// As if the image were padded.
// answer conv = 27648 //~ wrong-answer: conv.padded
