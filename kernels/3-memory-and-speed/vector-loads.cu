// axpy: y[i] = y[i] + a * x[i].
//
// x, y: n floats. Blocks of THREADS threads, one block for 1024 elements.
//
// This kernel is right, but each read and write moves one float for a thread.

#define THREADS 256

extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int first = blockIdx.x * 4 * THREADS + threadIdx.x;
    for (int k = 0; k < 4; k++) {
        int i = first + k * THREADS;
        if (i < n) {
            y[i] += a * x[i];
        }
    }
}
