// 128-bit products and sums through carries.
// options: --device-int128
// launch: grid 1 block 32
// in a: u64 32 = i * 11400714819323198485 + 77
// in b: u64 32 = i * 14029467366897019727 + 5
// out y: u64 96
// expect y[i] = i % 3 == 0 ? a[i/3] * b[i/3] + a[i/3] : i % 3 == 1 ? umulhi64(a[i/3], b[i/3]) + ult(a[i/3] * b[i/3] + a[i/3], a[i/3]) : ult(a[i/3] + b[i/3], a[i/3])
extern "C" __global__ void wide(const unsigned long long *a, const unsigned long long *b, unsigned long long *y) {
    int i = threadIdx.x;
    unsigned __int128 product = (unsigned __int128)a[i] * b[i] + a[i];
    unsigned __int128 sum = (unsigned __int128)a[i] + b[i];
    y[3 * i] = (unsigned long long)product;
    y[3 * i + 1] = (unsigned long long)(product >> 64);
    y[3 * i + 2] = (unsigned long long)(sum >> 64);
}
