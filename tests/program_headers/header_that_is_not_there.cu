//~ refused: "stdoi.h": there is stdio.h
#include <stdoi.h>
int main() { return 0; }
