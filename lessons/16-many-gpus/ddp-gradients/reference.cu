// What gradients() should do, on two GPUs' data, by one.

__global__ void one_layer(const float *w, const float *x, const float *dy, float *dw, float *dx,
                          int d) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < d) {
        double sum = 0;
        for (int r = 0; r < d; r++) {
            dw[r * d + c] += dy[r] * x[c] / 2;
            sum += (double)w[r * d + c] * dy[r];
        }
        dx[c] = sum;
    }
}

void gradients(const float *weights, const float *x, const float *dy, float *mean, int layers,
               int d) {
    int matrices = layers * d * d;
    float *w, *inputs, *dys, *dw;
    cudaMalloc(&w, matrices * sizeof(float));
    cudaMalloc(&inputs, 2 * layers * d * sizeof(float));
    cudaMalloc(&dys, (layers + 1) * d * sizeof(float));
    cudaMalloc(&dw, matrices * sizeof(float));
    cudaMemcpy(w, weights, matrices * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(inputs, x, 2 * layers * d * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dw, 0, matrices * sizeof(float));
    for (int g = 0; g < 2; g++) {
        cudaMemcpy(dys + layers * d, dy + g * d, d * sizeof(float), cudaMemcpyHostToDevice);
        for (int layer = layers - 1; layer >= 0; layer--) {
            one_layer<<<(d + 63) / 64, 64>>>(w + layer * d * d, inputs + (g * layers + layer) * d,
                                             dys + (layer + 1) * d, dw + layer * d * d,
                                             dys + layer * d, d);
        }
    }
    cudaMemcpy(mean, dw, matrices * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(mean + matrices, dw, matrices * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(w);
    cudaFree(inputs);
    cudaFree(dys);
    cudaFree(dw);
}
