// cudaMemPoolSetAttribute() reads eight bytes for this attribute, and the variable has four.
int main() {
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    int keep = 1 << 20;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
}
