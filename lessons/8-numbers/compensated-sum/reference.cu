// The balances, added up in double.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        double sum = 0;
        for (int day = 0; day < days; day++) {
            sum += amounts[day * accounts + i];
            balance[day * accounts + i] = (float)sum;
        }
    }
}
