// The rest is forgotten before it is used.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        float sum = 0;
        for (int day = 0; day < days; day++) {
            float extra = 0;
            float amount = amounts[day * accounts + i] - extra;
            float next = sum + amount; // rounded: low digits of amount are lost
            // next - sum is what has arrived. It is exact, and so is how it
            // differs from what was sent. In real numbers this would be 0.
            extra = (next - sum) - amount;
            sum = next;
            balance[day * accounts + i] = sum; //~ wrong-result
        }
    }
}
