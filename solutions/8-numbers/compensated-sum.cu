// balances: what is in each account after each day.
//
// amounts, balance: (days, accounts), row-major. All accounts begin with 0.
// 128 threads per block, a thread for each account.

extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        float sum = 0;
        float extra = 0; // how much more than the exact amount has been added so far
        for (int day = 0; day < days; day++) {
            float amount = amounts[day * accounts + i] - extra;
            float next = sum + amount; // rounded: low digits of amount are lost
            // next - sum is what has arrived, exactly, as long as the sum is the
            // larger one. In real numbers the difference would be 0.
            extra = (next - sum) - amount;
            sum = next;
            balance[day * accounts + i] = sum;
        }
    }
}
