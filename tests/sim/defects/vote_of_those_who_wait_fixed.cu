// The mask names those that remain.
// launch: grid 1 block 32
// in a: i32 32 = i
// inout y: i32 32 = 0
// expect y[i] = max(0, min(1, i - 3))
extern "C" __global__ void vote(const int *a, int *y) {
    int t = threadIdx.x;
    bool stays = a[t] >= 4;
    unsigned who = __ballot_sync(0xffffffff, stays);
    if (!stays)
        return;
    y[t] = __any_sync(who, a[t] == 9);
}
