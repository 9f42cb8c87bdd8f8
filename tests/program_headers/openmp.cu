//~ calls: vprintf clock_gettime
#include <omp.h>
#include <stdio.h>
int main() {
    double start = omp_get_wtime();
#pragma omp parallel for
    for (int i = 0; i < 4; i++) printf("%d of %d\n", omp_get_thread_num(), omp_get_num_threads());
    printf("%g\n", omp_get_wtime() - start);
}
