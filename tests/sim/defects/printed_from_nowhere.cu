// Text that printf is to read where nothing is allocated.
// launch: grid 1 block 4
// arg from: i64 = 305419896
// print: 
// print: 
// print: 
// print: 
// finding: M001
extern "C" __global__ void tell(const char *from) {
    printf("%s\n", from); //~ M001
}
