// The values that atomicAdd returns are a permutation: nothing is lost or given twice.
// launch: grid 8 block 96
// inout count: u32 1 = 0
// inout seen: u32 768 = 0
// expect count = 768
// expect seen[i] = 1
extern "C" __global__ void tickets(unsigned *count, unsigned *seen) {
    unsigned ticket = atomicAdd(count, 1u);
    atomicAdd(&seen[ticket], 1u);
}
