// sum is new before the difference is taken.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        float sum = 0;
        float extra = 0; // how much more than it should, the sum has been given
        for (int day = 0; day < days; day++) {
            float amount = amounts[day * accounts + i] - extra;
            float next = sum + amount; // rounded: low digits of amount are lost
            // next - sum is what has arrived. It is exact, and so is how it
            // differs from what was sent. In real numbers this would be 0.
            sum = next;
            extra = (next - sum) - amount;
            balance[day * accounts + i] = sum; //~ wrong-result
        }
    }
}
