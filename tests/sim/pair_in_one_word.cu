// A value and whose it is, swapped together as 64 bits: the compiler reads the second half of the first guess only where
// it is needed.
// launch: grid 4 block 64
// inout best: i64 1 = 0
// expect best[i] = 1096349057024
union Pair {
    unsigned long long whole;
    struct {
        float value;
        int whose;
    } part;
};
extern "C" __global__ void greatest(Pair *best) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Pair mine, old;
    mine.part.value = i;
    mine.part.whose = i;
    old.whole = best->whole;
    while (old.part.value < mine.part.value) {
        Pair found;
        found.whole = atomicCAS(&best->whole, old.whole, mine.whole);
        if (found.whole == old.whole) break;
        old = found;
    }
}
