// What is lost is found by Knuth's six operations, and added the next day.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        float sum = 0;
        float extra = 0; // how much more than it should, the sum has been given
        for (int day = 0; day < days; day++) {
            float amount = amounts[day * accounts + i] - extra;
            float next = sum + amount;
            float back = next - sum;
            extra = -((sum - (next - back)) + (amount - back));
            sum = next;
            balance[day * accounts + i] = sum;
        }
    }
}
