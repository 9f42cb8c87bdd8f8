//~ refused: the initial value of a device variable must be known
struct Device {
    int number;
    Device() { cudaGetDevice(&number); }
};
Device device;
int main() { return device.number; }
