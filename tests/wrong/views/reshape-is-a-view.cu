// Takes the result of reshape for a view.
// answer in_row = 1
// answer in_flat = 64
// answer column_sectors = 64
// answer small_sectors = 2
// answer fits = 64
// answer copy_bytes = 32768
// answer in_copy = 64 //~ wrong-answer: in_copy.as-a-view
