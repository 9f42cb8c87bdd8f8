// As many additions as elements.
// answer sequential_most = 65536 //~ wrong-answer: sequential_most.as-many-as-elements
