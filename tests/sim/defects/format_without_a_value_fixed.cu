// The format's value is passed.
// launch: grid 1 block 1
// print: 1 done
extern "C" __global__ void tell() {
    printf("%d done\n", blockDim.x);
}
