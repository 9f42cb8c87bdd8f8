// summation-order: answer before anything runs.
//
// 65536 floats are added up in three orders, in `sequential` by one thread, in
// `strided` and `tree` by a block of 256. The answers, and how to find them.

// In `sequential`: what is the most additions that any of the 65536 elements
// goes through?
// The first two go through all of them: the sum begins with one of them, and 65535
// others follow.
// answer sequential_most = 65535

// And in `strided`, with its 256 threads?
// 255 in their thread, which has 256 elements, and 255 more when the sums of 256
// threads are added up.
// answer strided_most = 510

// And in `tree`?
// 65536 is 2 to the power of 16: that is how often the rest is folded in half.
// answer tree_most = 16

// Which of the three sums is nearest to the sum in double?
//   a   that of sequential: it keeps the order of the elements
//   b   that of strided
//   c   that of tree
//   d   none: all make 65535 additions in float
// After 16 roundings a sum is off by at most 16 half ulps, and mostly by far less,
// since they cancel.
// answer nearest = c

// The notebook's CPU and GPU figures are floats, and lie between 2^44 and 2^45.
// They differ by 37748736. How many ulps are they apart?
// The first of 24 bits stands for 2^44, so the last stands for 2^21,
// and 37748736 / 2^21 is 18.
// answer apart = 18

// Each order exists twice: with floats, which it adds up, and with ints, with
// which it counts. Then an element is 0, and a sum is one more than the larger
// of its parts: the most additions that any element has gone through.
__device__ float add(float a, float b) { return a + b; }
__device__ int add(int a, int b) { return max(a, b) + 1; }

// Element i: a number from 0 to 1, to the power of 6.
__device__ void element(int i, float &value) {
    float x = (i * 2654435761u >> 8) / 16777216.0f;
    value = x * x * x * x * x * x;
}
__device__ void element(int i, int &value) { value = 0; }

// One thread, one after the other.
template <class T> __device__ void sequential(T *sum, int n) {
    T all;
    element(0, all);
    for (int i = 1; i < n; i++) {
        T next;
        element(i, next);
        all = add(all, next);
    }
    *sum = all;
}

// 256 threads, each adding every 256th element; then one thread adds up their sums.
template <class T> __device__ void strided(T *sum, int n) {
    __shared__ T sums[256];
    int t = threadIdx.x;
    T mine;
    element(t, mine);
    for (int i = t + 256; i < n; i += 256) {
        T next;
        element(i, next);
        mine = add(mine, next);
    }
    sums[t] = mine;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 256; k++) {
            mine = add(mine, sums[k]);
        }
        *sum = mine;
    }
}

// 256 threads, in memory: add the upper half to the lower, until one is left.
template <class T> __device__ void tree(T *a, T *sum, int n) {
    for (int i = threadIdx.x; i < n; i += 256) {
        element(i, a[i]);
    }
    for (int half = n / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < half; i += 256) {
            a[i] = add(a[i], a[i + half]);
        }
    }
    if (threadIdx.x == 0) {
        *sum = a[0];
    }
}

extern "C" __global__ void add_sequential(float *sum, int n) { sequential(sum, n); }
extern "C" __global__ void add_strided(float *sum, int n) { strided(sum, n); }
extern "C" __global__ void add_tree(float *a, float *sum, int n) { tree(a, sum, n); }
extern "C" __global__ void count_sequential(int *most, int n) { sequential(most, n); }
extern "C" __global__ void count_strided(int *most, int n) { strided(most, n); }
extern "C" __global__ void count_tree(int *a, int *most, int n) { tree(a, most, n); }

// Makes as many marks as the number says: the tool counts marks.
__device__ void mark(char *marks, int number) {
    for (int k = 0; k < number; k++) {
        marks[k] = 1;
    }
}

// How many floats lie between two positive ones: their bits, taken as whole
// numbers, are in the same order and without gaps.
__device__ int ulps_between(float a, float b) {
    return abs(__float_as_int(a) - __float_as_int(b));
}

extern "C" __global__ void show(const int *most, char *marks) { mark(marks, *most); }

// The error of a sum in ulps, compared with the sum in double.
extern "C" __global__ void show_error(const float *sum, char *marks, int n) {
    double exact = 0;
    for (int i = 0; i < n; i++) {
        float next;
        element(i, next);
        exact += next;
    }
    mark(marks, ulps_between(*sum, (float)exact));
}

// Two of the notebook's figures.
extern "C" __global__ void show_notebook(char *marks) {
    mark(marks, ulps_between(27654770130944.0f, 27654807879680.0f));
}
