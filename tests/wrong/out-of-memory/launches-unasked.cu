// Does not clear the error, and no launch is asked for its own: nobody finds it.
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

// A GPU that other programs use as well: gpu_malloc() and gpu_free() are like cudaMalloc
// and cudaFree, but what would be too much is refused. Leave all of this as it is. What
// is private here cannot be known on a real GPU either.
class Others {
    size_t room = 0;   // what they leave
    size_t coming = 0; // what they will take as well, as soon as you begin
    struct Piece {
        void *start;
        size_t bytes;
    } pieces[64] = {};

    friend void others_leave(long long bytes);
    template <typename T> friend cudaError_t gpu_malloc(T **start, size_t bytes);
    friend cudaError_t gpu_free(void *start);
} others;

void others_leave(long long bytes) {
    others.room = bytes;
    others.coming = bytes / 16 * (1 + bytes % 12);
}

template <typename T> cudaError_t gpu_malloc(T **start, size_t bytes) {
    others.room -= others.coming;
    others.coming = 0;
    for (auto &piece : others.pieces) {
        if (!piece.start) {
            // No GPU has this much: CUDA itself refuses.
            cudaError_t result = cudaMalloc(start, bytes <= others.room ? bytes : 1ull << 50);
            if (result == cudaSuccess) {
                others.room -= bytes;
                piece = {*start, bytes};
            }
            return result;
        }
    }
    return cudaErrorMemoryAllocation;
}

cudaError_t gpu_free(void *start) {
    for (auto &piece : others.pieces) {
        if (start && piece.start == start) {
            others.room += piece.bytes;
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
        batch = (batch + 1) / 2;
    }

    for (int first = 0; first < n; first += batch) {
        int count = n - first < batch ? n - first : batch;
        int blocks = (count + 255) / 256;
        CHECK(cudaMemcpy(d.x, in + first, count * sizeof(float), cudaMemcpyHostToDevice));
        square<<<blocks, 256>>>(d.x, d.y, count); //~ too-much-work: unchecked_launches
        add<<<blocks, 256>>>(d.x, d.y, d.z, count);
        CHECK(cudaMemcpy(out + first, d.z, count * sizeof(float), cudaMemcpyDeviceToHost));
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
