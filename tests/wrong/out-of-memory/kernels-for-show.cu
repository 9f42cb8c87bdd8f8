// Launches the kernels, and computes what it returns on the host.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// A GPU on which other programs have left `room` bytes: like cudaMalloc and cudaFree,
// but what would be too much is refused. Leave these three as they are.
size_t room = 0, coming = 0; // coming: what the others will soon take as well
struct Piece {
    void *start;
    size_t bytes;
} pieces[64];

void others_leave(long long bytes) {
    room = bytes;
    coming = bytes / 16;
}

template <typename T> cudaError_t gpu_malloc(T **start, size_t bytes) {
    room -= coming;
    coming = 0;
    for (Piece &piece : pieces) {
        if (!piece.start) {
            // No GPU has this much: CUDA itself refuses.
            cudaError_t result = cudaMalloc(start, bytes <= room ? bytes : 1ull << 50);
            if (result == cudaSuccess) {
                room -= bytes;
                piece = {*start, bytes};
            }
            return result;
        }
    }
    return cudaErrorMemoryAllocation;
}

cudaError_t gpu_free(void *start) {
    for (Piece &piece : pieces) {
        if (start && piece.start == start) {
            room += piece.bytes;
            piece = {};
        }
    }
    return cudaFree(start);
}

__global__ void square(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] * x[i];
    }
}

__global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = x[i] + y[i];
    }
}

// The three arrays of a batch.
struct Arrays {
    float *x = nullptr, *y = nullptr, *z = nullptr;

    // Allocates `count` numbers for each. If there is no room, nothing stays allocated.
    cudaError_t make(int count) {
        for (float **array : {&x, &y, &z}) {
            cudaError_t result = gpu_malloc(array, count * sizeof(float));
            if (result != cudaSuccess) {
                *array = nullptr;
                free_all();
                return result;
            }
        }
        return cudaSuccess;
    }

    void free_all() {
        for (float **array : {&x, &y, &z}) {
            CHECK(gpu_free(*array)); // does nothing for a null pointer
            *array = nullptr;
        }
    }
};

// out[i] = in[i] * in[i] + in[i] for n numbers in host memory.
void process(const float *in, float *out, int n) {
    Arrays d;
    int batch = n;
    for (;;) {
        cudaError_t result = d.make(batch);
        if (result == cudaSuccess) {
            break;
        }
        // A smaller batch helps with this error, as long as there is something to halve.
        if (result != cudaErrorMemoryAllocation || batch == 1) {
            CHECK(result);
        }
        // Otherwise the check after the next launch would find it.
        cudaGetLastError();
        batch = (batch + 1) / 2;
    }

    for (int first = 0; first < n; first += batch) {
        int count = n - first < batch ? n - first : batch;
        int blocks = (count + 255) / 256;
        CHECK(cudaMemcpy(d.x, in + first, count * sizeof(float), cudaMemcpyHostToDevice));
        square<<<blocks, 256>>>(d.x, d.y, count);
        CHECK(cudaGetLastError());
        add<<<blocks, 256>>>(d.x, d.y, d.z, count);
        CHECK(cudaGetLastError());
        for (int i = first; i < first + count; i++) {
            out[i] = in[i] * in[i] + in[i]; //~ too-much-work: bytes_to_host
        }
    }
    d.free_all();
}

int main() {
    const int N = 1000;
    float in[N], out[N];
    for (int i = 0; i < N; i++) {
        in[i] = i;
    }
    others_leave(5000);
    process(in, out, N);
    printf("%g %g\n", out[3], out[999]); // 12 999000
}
