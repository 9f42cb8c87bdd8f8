// Takes every strided notation for strided access.
// answer direct_loads = 32 //~ wrong-answer: direct_loads.scattered
// answer copy_stores = ?
