// Pointers move from row to row; one test for each direction.
extern "C" __global__ void backward_weights(const float *dy, const float *x, float *dw,
                                            int batch, int ins, int outs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int o = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= ins) {
        return;
    }
    if (o >= outs) {
        return;
    }
    float sum = 0;
    const float *slope = dy + o, *from = x + i;
    for (int n = batch; n > 0; n--) {
        sum = fmaf(*from, *slope, sum);
        slope += outs;
        from += ins;
    }
    dw[o * ins + i] = sum;
}

extern "C" __global__ void backward_input(const float *dy, const float *w, float *dx,
                                          int batch, int ins, int outs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ins && n < batch) {
        float sum = 0;
        const float *slopes = dy + n * outs;
        for (const float *weight = w + i; weight < w + outs * ins; weight += ins) {
            sum = fmaf(*slopes++, *weight, sum);
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
