// What summation-order asks about.

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
