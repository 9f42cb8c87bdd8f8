// A for loop with a break; the thread's own value stays in a register.
extern "C" __global__ void runs(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int mine = in[i], length = 1;
        for (int k = i + 1; k < n; k++) {
            if (in[k] != mine) {
                break;
            }
            length++;
        }
        out[i] = length;
    }
}
