// A tree sum in shared memory, one barrier a level.
// launch: grid 4 block 256
// in a: i32 1024 = i % 97 - 40
// out y: i32 4
// expect y[i] = sum(k, 0, 256, a[256*i + k])
extern "C" __global__ void tree(const int *a, int *y) {
    __shared__ int parts[256];
    int t = threadIdx.x;
    parts[t] = a[blockIdx.x * 256 + t];
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (t < stride) {
            parts[t] += parts[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        y[blockIdx.x] = parts[0];
    }
}
