// Atomics in host code, on globals and the heap. (On local variables NVRTC makes a trap of them.)
//> 10 7 20 3.5
int counter = 0;
__attribute__((noinline)) int swap(int *p, int from, int to) { return atomicCAS(p, from, to); }
int main() {
    for (int i = 1; i <= 4; i++) atomicAdd(&counter, i);
    int *kept = new int(7);
    int old = swap(kept, 7, 20);
    float *heap = new float(1.0f);
    atomicAdd(heap, 2.5f);
    printf("%d %d %d %.1f\n", counter, old, *kept, *heap);
    delete heap;
    delete kept;
}
