// Right, with the units that many GPUs have few of.
extern "C" __global__ void balances(const float *amounts, float *balance, int days,
                                    int accounts) { //~ too-much-work: flops_f64
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < accounts) {
        double sum = 0;
        for (int day = 0; day < days; day++) {
            sum += amounts[day * accounts + i];
            balance[day * accounts + i] = sum;
        }
    }
}
