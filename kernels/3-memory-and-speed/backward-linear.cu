// The gradients of a linear layer.
//
// Forward, it was y = x × wᵀ + b, so for a row n of the batch and an output o:
//     y[n][o] = sum over i of x[n][i] * w[o][i], plus b[o]
//
// x, dx: (batch, ins). w, dw: (outs, ins). dy: (batch, outs). db: outs floats.
// All row-major. dy is given: what the loss changes by, for each y.

// Enough blocks of 16×16 threads to cover dw: threadIdx.x along ins,
// threadIdx.y along outs.
extern "C" __global__ void backward_weights(const float *dy, const float *x, float *dw,
                                            int batch, int ins, int outs) {
    // Write here what one thread does.
}

// Enough blocks of 16×16 threads to cover dx: threadIdx.x along ins,
// threadIdx.y along batch.
extern "C" __global__ void backward_input(const float *dy, const float *w, float *dx,
                                          int batch, int ins, int outs) {
    // Write here what one thread does.
}

// Enough blocks of 64 threads to cover db.
extern "C" __global__ void backward_bias(const float *dy, float *db, int batch, int outs) {
    // Write here what one thread does.
}
