// A sector for each element, whatever the distance.
// answer column_sectors = 64
// answer small_sectors = 4 //~ wrong-answer: small_sectors.all-apart
