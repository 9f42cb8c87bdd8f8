// Looks at the load of the line only.
// answer direct_loads = 4
// answer copy_stores = 4 //~ wrong-answer: copy_stores.as-its-loads
