// A format without the value that it asks for.
// launch: grid 1 block 1
// print: 0 done
// finding: I003
extern "C" __global__ void tell() {
    printf("%d done\n"); //~ I003
}
