__global__ void add(float *x) { x[threadIdx.x] += 1; }
int main() {
    float *d;
    cudaMalloc(&d, 400);
    add<<1, 100>>(d);
    return 0;
}
