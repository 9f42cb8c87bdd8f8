// OpenMP's calls with one thread, and pages from mmap() that are page-locked.
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <sys/mman.h>

__global__ void twice(int *x) { x[threadIdx.x] *= 2; }

int main() {
    omp_set_num_threads(4);
    const size_t bytes = 64 * sizeof(int);
    int *pages = (int *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (pages == MAP_FAILED) return 1;
    double start = omp_get_wtime();
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 64; i++) pages[i] += i + omp_get_thread_num();
    if (cudaHostRegister(pages, bytes, cudaHostRegisterMapped) != cudaSuccess) return 2;
    twice<<<1, 64>>>(pages);
    if (cudaDeviceSynchronize() != cudaSuccess) return 3;
    printf("%d of %d threads: %d, time passes: %s\n", omp_get_thread_num(), omp_get_max_threads(), pages[63],
           omp_get_wtime() > start ? "yes" : "no");
    cudaHostUnregister(pages);
    return munmap(pages, bytes);
}
