//~ refused: OpenMP is not to be had here
#include <omp.h>
int main() { return 0; }
