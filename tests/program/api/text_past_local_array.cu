// A text is longer than the local array that it is written to.
// exit: stopped
#include <cstdio>
#include <cstring>

__global__ void nothing() {}

int main() {
    char name[6], all[8] = "row";
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    sprintf(all + strlen(all), "%d", 3);
    printf("%s\n", all);
    sprintf(name, "%s-%d", all, 12); //~ H001
    strcat(name, "0");
    printf("%s\n", name);
}
