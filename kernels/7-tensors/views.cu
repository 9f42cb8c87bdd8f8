// views: answer before anything runs.
//
// x is a matrix of n × n floats, row-major, n = 64. These run, one after the
// other, each with a thread for each element unless it says otherwise:
//   mark_column   mark: row 2 of x.T = 1000     start 2, step n
//   look_row      look: 1000 in row 3 of x?     start 3 * n, step 1, n elements
//   look_flat     look: 1000 in x.view(n * n)?  start 0, step 1, n * n elements
//   sum_row       sum: row 3 of x, one warp     start 3 * n, step 1
//   sum_column    sum: row 2 of x.T, one warp   start 2, step n
//   one_stride
//   copy          flat = x.T.reshape(n * n)
//   mark_row      mark: row 3 of x = 2000       start 3 * n, step 1
//   look_copy     look: 2000 in flat?           start 0, step 1, n * n elements
//
// Write your answers in place of the question marks. The code is only
// for reading: the tool runs its own copy, whatever you change here.

// For how many elements does `look_row` write?
// answer in_row = ?

// For how many elements does `look_flat` write?
// answer in_flat = ?

// How many 32-byte sectors do the loads of `sum_column` touch?
// answer column_sectors = ?

// With n = 4: how many sectors do the loads of `sum_column` touch?
// answer small_sectors = ?

// For how many of the n * n elements of x.T does `one_stride` write?
// answer fits = ?

// How many bytes does `copy` load and store?
// answer copy_bytes = ?

// For how many elements does `look_copy` write?
// answer in_copy = ?

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
