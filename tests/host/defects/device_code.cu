// note: Host code uses threadIdx, which only kernels have.
//> 0
__device__ __attribute__((noinline)) int index() {
    return threadIdx.x; //~ H008
}
__global__ void kernel(int *out) { out[index()] = 1; }
int main() {
#ifdef FIXED
    printf("0\n");
#else
    printf("%d\n", index());
#endif
}
