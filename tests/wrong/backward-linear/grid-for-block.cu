// The biases of a block begin at a multiple of the number of blocks.
// Enough blocks of 16×16 threads to cover dw: threadIdx.x along ins,
// threadIdx.y along outs.
// dw = dyᵀ × x: a weight was used by every row of the batch.
extern "C" __global__ void backward_weights(const float *dy, const float *x, float *dw,
                                            int batch, int ins, int outs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int o = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ins && o < outs) {
        float sum = 0;
        for (int n = 0; n < batch; n++) {
            // In row n the weight was multiplied by x[n][i], and went into y[n][o].
            sum += dy[n * outs + o] * x[n * ins + i];
        }
        dw[o * ins + i] = sum;
    }
}

// Enough blocks of 16×16 threads to cover dx: threadIdx.x along ins,
// threadIdx.y along batch.
// dx = dy × w: an input was used by every output of its own row.
extern "C" __global__ void backward_input(const float *dy, const float *w, float *dx,
                                          int batch, int ins, int outs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ins && n < batch) {
        float sum = 0;
        for (int o = 0; o < outs; o++) {
            // For output o it was multiplied by w[o][i], and went into y[n][o].
            sum += dy[n * outs + o] * w[o * ins + i];
        }
        dx[n * ins + i] = sum;
    }
}

// Enough blocks of 64 threads to cover db.
// A bias was used by every row of the batch, multiplied by nothing.
extern "C" __global__ void backward_bias(const float *dy, float *db, int batch, int outs) {
    int o = blockIdx.x * gridDim.x + threadIdx.x;
    if (o < outs) {
        float sum = 0;
        for (int n = 0; n < batch; n++) {
            sum += dy[n * outs + o];
        }
        db[o] = sum; //~ wrong-result
    }
}
