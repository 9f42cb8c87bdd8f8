// Sixteen days for themselves, then added: better, and not good enough.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        float sum = 0;
        float extra = 0; // how much more than it should, the sum has been given
        for (int day = 0; day < days; day++) {
            extra += amounts[day * accounts + i];
            if (day % 16 == 15) {
                sum += extra;
                extra = 0;
            }
            balance[day * accounts + i] = sum + extra; //~ wrong-result
        }
    }
}
