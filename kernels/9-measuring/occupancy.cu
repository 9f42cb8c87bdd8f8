// occupancy: how many warps does a multiprocessor hold, and how many could it hold?
//
//     gpulearn run --as t4 kernels/9-measuring/occupancy.cu -- 160 3000

#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

const int MOST_COLS = 11000; // the longest row there could be

// Subtracts the mean of each row from its elements: a block for each row, which
// it keeps in shared memory. Dynamic shared memory: cols floats for the row, then
// one for each thread.
__global__ void centre(const float *in, float *out, int cols) {
    extern __shared__ float row[];
    float *sums = row + cols;
    int t = threadIdx.x;
    const float *from = in + blockIdx.x * cols;
    float sum = 0;
    for (int i = t; i < cols; i += blockDim.x) {
        row[i] = from[i];
        sum += row[i];
    }
    sums[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            sums[t] += sums[t + half];
        }
        __syncthreads();
    }
    float mean = sums[0] / cols;
    for (int i = t; i < cols; i += blockDim.x) {
        out[blockIdx.x * cols + i] = row[i] - mean;
    }
}

// A way to launch centre().
struct Shape {
    int threads;  // of a block, a power of two
    size_t bytes; // dynamic shared memory of a block
};

// How many warps a multiprocessor holds at the same time with such blocks.
int warps_at_once(Shape shape) {
    // Write it here.
    return 0;
}

// Of 64 to 1024 threads, the fewest that give the most warps, and the shared
// memory that a row of `cols` columns needs.
Shape best(int cols) {
    // Write it here: try them all.
    return {128, (MOST_COLS + 128) * sizeof(float)};
}

// Microseconds that centre() takes for all rows.
float time_us(const float *in, float *out, int rows, int cols, Shape shape) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    centre<<<rows, shape.threads, shape.bytes>>>(in, out, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return 1000 * ms;
}

int main(int argc, char **argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 640;
    int cols = argc > 2 ? atoi(argv[2]) : 500;
    cols += argc > 3 ? atoi(argv[3]) % 900 : 0; // a few more, drawn for each run
    printf("%d rows of %d columns\n", rows, cols);
    float *in, *out;
    CHECK(cudaMalloc(&in, rows * cols * sizeof(float)));
    CHECK(cudaMalloc(&out, rows * cols * sizeof(float)));
    CHECK(cudaMemset(in, 0, rows * cols * sizeof(float)));

    int room;
    CHECK(cudaDeviceGetAttribute(&room, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    Shape shapes[] = {{128, (MOST_COLS + 128) * sizeof(float)}, best(cols)};
    time_us(in, out, 1, cols, shapes[0]); // loads the kernel; it does not count
    for (Shape shape : shapes) {
        printf("%d threads, %zu bytes: %d warps of %d, %.1f us\n", shape.threads, shape.bytes,
               warps_at_once(shape), room / 32, time_us(in, out, rows, cols, shape));
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
