//~ refused: the value of a variable on a device must be known
struct Device {
    int number;
    Device() { cudaGetDevice(&number); }
};
Device device;
int main() { return device.number; }
