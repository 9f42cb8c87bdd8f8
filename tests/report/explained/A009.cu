#ifdef FIXED
const bool failed = false;
#else
const bool failed = true;
#endif
int main() {
    const size_t bytes = 64;
    float *d_x;
    cudaMalloc(&d_x, bytes);
    if (failed) return 1;
    cudaFree(d_x);
}
