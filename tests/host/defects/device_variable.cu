//> 0
__device__ int counter;
__global__ void kernel() { atomicAdd(&counter, 1); }
int main() {
    kernel<<<1, 32>>>();
#ifdef FIXED
    printf("0\n");
#else
    printf("%d\n", counter); //~ H007
#endif
}
