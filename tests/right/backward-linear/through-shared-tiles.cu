// The two products go by tiles in shared memory.
#define TILE 16

extern "C" __global__ void backward_weights(const float *dy, const float *x, float *dw,
                                            int batch, int ins, int outs) {
    __shared__ float slopes[TILE][TILE], from[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.x * TILE + tx, o = blockIdx.y * TILE + tx;
    float sum = 0;
    for (int start = 0; start < batch; start += TILE) {
        int n = start + ty;
        slopes[ty][tx] = n < batch && o < outs ? dy[n * outs + o] : 0;
        from[ty][tx] = n < batch && i < ins ? x[n * ins + i] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += slopes[k][ty] * from[k][tx];
        }
        __syncthreads();
    }
    int row = blockIdx.y * TILE + ty;
    if (i < ins && row < outs) {
        dw[row * ins + i] = sum;
    }
}

extern "C" __global__ void backward_input(const float *dy, const float *w, float *dx,
                                          int batch, int ins, int outs) {
    __shared__ float slopes[TILE][TILE], weights[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.x * TILE + tx, n = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int start = 0; start < outs; start += TILE) {
        slopes[ty][tx] = n < batch && start + tx < outs ? dy[n * outs + start + tx] : 0;
        weights[ty][tx] = start + ty < outs && i < ins ? w[(start + ty) * ins + i] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += slopes[ty][k] * weights[k][tx];
        }
        __syncthreads();
    }
    if (i < ins && n < batch) {
        dx[n * ins + i] = sum;
    }
}

extern "C" __global__ void backward_bias(const float *dy, float *db, int batch, int outs) {
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= outs) {
        return;
    }
    float sum = 0;
    for (int at = o; at < batch * outs; at += outs) {
        sum += dy[at];
    }
    db[o] = sum;
}
