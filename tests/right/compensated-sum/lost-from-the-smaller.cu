// What was lost of the smaller of the two is kept aside, and added only where a balance is written.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= accounts) {
        return;
    }
    float sum = 0, lost = 0;
    for (int day = 0; day < days; day++) {
        float amount = amounts[day * accounts + i];
        float next = sum + amount;
        lost += fabsf(sum) >= fabsf(amount) ? (sum - next) + amount : (amount - next) + sum;
        sum = next;
        balance[day * accounts + i] = sum + lost;
    }
}
