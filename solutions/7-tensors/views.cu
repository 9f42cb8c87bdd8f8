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
// The answers, and how to find them.

// For how many elements does `look_row` write?
// x.T has the strides 1 and n, so its row 2 is column 2 of x: the elements
// x[2], x[2 + n], x[2 + 2 * n], … Row 3 of x shares one of them, x[3 * n + 2].
// answer in_row = 1

// For how many elements does `look_flat` write?
// All elements of x are looked at, once each, and n of them were marked.
// answer in_flat = 64

// How many 32-byte sectors do the loads of `sum_column` touch?
// Its elements are n floats apart, 256 bytes: each is in a different sector.
// answer column_sectors = 64

// With n = 4: how many sectors do the loads of `sum_column` touch?
// Now they are 16 bytes apart: at bytes 8, 24, 40 and 56. Each pair shares a
// sector.
// answer small_sectors = 2

// For how many of the n * n elements of x.T does `one_stride` write?
// In row 0 of x.T the elements lie at 0, n, 2 * n, …: there a stride of n fits.
// Row 1 begins at 1, and i * n at i = n is n * n: past the end of x.
// answer fits = 64

// How many bytes does `copy` load and store?
// Each of the 64 * 64 elements is read once and written once: 4096 * 8 bytes.
// answer copy_bytes = 32768

// For how many elements does `look_copy` write?
// flat was written before the 2000s were, and is separate memory.
// answer in_copy = 0

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
