// What views asks about.

// Sets n elements of a view to value: those at start, start + step, …
extern "C" __global__ void mark(float *x, int start, int step, float value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[start + i * step] = value;
    }
}

// Looks through n elements of a view, and writes once for each that has value.
extern "C" __global__ void look(const float *x, int start, int step, float value, int *found,
                                int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[start + i * step] == value) {
        found[i] = 1;
    }
}

// Adds up n elements of a view: one warp.
extern "C" __global__ void sum(const float *x, int start, int step, float *result, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        sum += x[start + i * step];
    }
    for (int half = 16; half > 0; half /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, half);
    }
    if (threadIdx.x == 0) {
        *result = sum;
    }
}

// All n * n elements of x.T, row after row: thread i has number i of them. It
// writes if the single stride n would lead to the same place in memory.
extern "C" __global__ void one_stride(int *fits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * n) {
        int row = i / n, col = i % n;
        int place = row * 1 + col * n; // the strides of x.T are 1 and n
        if (place == i * n) {
            fits[i] = 1;
        }
    }
}

// flat = x.T.reshape(n * n): all elements of x.T, row after row.
extern "C" __global__ void copy(const float *x, float *flat, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * n) {
        int row = i / n, col = i % n;
        flat[i] = x[row * 1 + col * n];
    }
}
