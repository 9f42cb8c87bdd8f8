// Pointers move from day to day; what was lost is kept with the other sign.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        float sum = 0, lost = 0;
        const float *from = amounts + i;
        float *to = balance + i;
        for (int left = days; left > 0; left--, from += accounts, to += accounts) {
            float amount = *from + lost;
            float before = sum;
            sum = before + amount;
            lost = amount - (sum - before);
            *to = sum;
        }
    }
}
