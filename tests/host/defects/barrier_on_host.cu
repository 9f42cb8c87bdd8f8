// note: Host code uses __syncthreads(), which only kernels have.
//> done
__device__ __attribute__((noinline)) void wait() {
    __syncthreads(); //~ H008
}
__global__ void kernel() { wait(); }
int main() {
#ifndef FIXED
    wait();
#endif
    printf("done\n");
}
