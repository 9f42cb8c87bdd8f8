// Lets the elements of a column lie side by side.
// answer in_row = 1
// answer in_flat = 64
// answer column_sectors = 8 //~ wrong-answer: column_sectors.as-a-row
