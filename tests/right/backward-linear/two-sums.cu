// Each sum is made of two, for even and for odd places.
extern "C" __global__ void backward_weights(const float *dy, const float *x, float *dw,
                                            int batch, int ins, int outs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int o = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ins && o < outs) {
        float even = 0, odd = 0;
        int n = 0;
        for (; n + 1 < batch; n += 2) {
            even += dy[n * outs + o] * x[n * ins + i];
            odd += dy[(n + 1) * outs + o] * x[(n + 1) * ins + i];
        }
        if (n < batch) {
            even += dy[n * outs + o] * x[n * ins + i];
        }
        float sum = even + odd;
        dw[o * ins + i] = sum;
    }
}

extern "C" __global__ void backward_input(const float *dy, const float *w, float *dx,
                                          int batch, int ins, int outs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ins && n < batch) {
        float part[2] = {};
        for (int o = 0; o < outs; o += 2) {
            part[0] += dy[n * outs + o] * w[o * ins + i];
            if (o + 1 < outs) {
                part[1] += dy[n * outs + o + 1] * w[(o + 1) * ins + i];
            }
        }
        float sum = part[0] + part[1];
        dx[n * ins + i] = sum;
    }
}

extern "C" __global__ void backward_bias(const float *dy, float *db, int batch, int outs) {
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o < outs) {
        float sum = 0;
        for (int n = 0; n < batch; n++) {
            sum += dy[n * outs + o];
        }
        db[o] = sum;
    }
}
