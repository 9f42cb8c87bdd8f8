// devices: 2
__global__ void add(int *p) { p[threadIdx.x] = 1; }
int main() {
    int *p;
    cudaSetDevice(1);
    cudaMalloc(&p, 32 * sizeof(int));
    cudaSetDevice(0);
#ifdef FIXED
    cudaDeviceEnablePeerAccess(1, 0);
#endif
    add<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    cudaFree(p);
}
