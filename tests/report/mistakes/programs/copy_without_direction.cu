int main() {
    float a[4], *d_a;
    cudaMalloc(&d_a, sizeof(a));
    cudaMemcpy(d_a, a, sizeof(a));
}
