// What arrived is compared with the day's amount, not with what was sent: that was less by the excess.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        float sum = 0, extra = 0;
        for (int day = 0; day < days; day++) {
            float amount = amounts[day * accounts + i];
            float next = sum + (amount - extra);
            extra = (next - sum) - amount;
            sum = next;
            balance[day * accounts + i] = sum; //~ wrong-result
        }
    }
}
