#include <cuda.h>

int main() {
    int value = 0;
    cuInit(0);
    cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_IS_SUPPORTED_HERE, 0);
}
