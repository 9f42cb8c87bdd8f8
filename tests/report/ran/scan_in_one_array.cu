// An element is read by its own thread and by another one, which does not write it back.
__global__ void scan(int *data, int n) {
    int i = threadIdx.x;
    for (int step = 1; step < n; step *= 2) {
        if (i >= step) data[i] = data[i] + data[i - step];
        __syncthreads();
    }
}

int main() {
    int h[6] = {1, 3, 6, 2, 9, 4}, *data;
    cudaMalloc(&data, sizeof(h));
    cudaMemcpy(data, h, sizeof(h), cudaMemcpyHostToDevice);
    scan<<<1, 6>>>(data, 6);
    cudaMemcpy(h, data, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(data);
}
