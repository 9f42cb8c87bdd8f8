//~ refused: only this one file is compiled
#include "utilities.h"
int main() { return 0; }
