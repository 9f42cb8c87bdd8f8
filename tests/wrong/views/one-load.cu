// Counts the first load of the warp only.
// answer column_sectors = 32 //~ wrong-answer: column_sectors.one-load
