__global__ void sums(int *out) {
    int lane = threadIdx.x, v = lane;
#ifdef FIXED
    if (lane < 16) v += __shfl_down_sync(0x0000ffff, v, 8, 16);
    int other = __shfl_down_sync(0xffffffff, v, 8);
    if (lane < 16) v += other;
#else
    if (lane < 16) v += __shfl_down_sync(0xffffffff, v, 8);
#endif
    out[lane] = v;
}
int main() {
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    sums<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
