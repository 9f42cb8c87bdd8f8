// Reads dy as if it were (outs, batch).
extern "C" __global__ void backward_weights(const float *dy, const float *x, float *dw,
                                            int batch, int ins, int outs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int o = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ins && o < outs) {
        float sum = 0;
        for (int n = 0; n < batch; n++) {
            sum += dy[o * batch + n] * x[n * ins + i];
        }
        dw[o * ins + i] = sum; //~ wrong-result: exchanged-index
    }
}

extern "C" __global__ void backward_input(const float *dy, const float *w, float *dx,
                                          int batch, int ins, int outs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ins && n < batch) {
        float sum = 0;
        for (int o = 0; o < outs; o++) {
            sum += dy[n * outs + o] * w[o * ins + i];
        }
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
