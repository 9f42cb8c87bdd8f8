// The sum is kept as two floats, joined for what is written.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        float sum = 0;
        float low = 0;
        for (int day = 0; day < days; day++) {
            float amount = amounts[day * accounts + i];
            float next = sum + amount;
            float larger = fabsf(sum) >= fabsf(amount) ? sum : amount;
            float smaller = larger == sum ? amount : sum;
            low += (larger - next) + smaller;
            sum = next;
            balance[day * accounts + i] = sum + low;
        }
    }
}
