// A loop that does not end stores behind the buffer in each round: the first of these stores is told of,
// soon.
// launch: grid 2 block 128
// out y: i32 256
// finding: M001
// note: This was found so often that the launch was stopped: its later results are missing.
extern "C" __global__ void spill(int *y) {
    for (int k = 0;; k = (k + 1) % 100) {
        ((volatile int *)y)[256 + threadIdx.x] = k; //~ M001
    }
}
