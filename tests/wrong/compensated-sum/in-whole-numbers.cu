// Adds up in whole numbers of 64 bits: right, but nothing that was rounded off is kept.

extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        unsigned long long sum = 0; // in units of 2^-32
        for (int day = 0; day < days; day++) {
            float amount = amounts[day * accounts + i];
            sum += __float2ull_rn(amount * 4294967296.0f); //~ too-much-work: flops_f32
            balance[day * accounts + i] = __ull2float_rn(sum) / 4294967296.0f;
        }
    }
}
