// Right, but every day adds up all the days before once more.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) { //~ too-much-work: global_reads_per_thread
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        for (int last = 0; last < days; last++) {
            float sum = 0, extra = 0;
            for (int day = 0; day <= last; day++) {
            float amount = amounts[day * accounts + i] - extra;
            float next = sum + amount; // rounded: low digits of amount are lost
            // next - sum is what has arrived. It is exact, and so is how it
            // differs from what was sent. In real numbers this would be 0.
            extra = (next - sum) - amount;
            sum = next;
            }
            balance[last * accounts + i] = sum;
        }
    }
}
