// A std::fstream has one position, for what is read and for what is written.
#include <cstdio>
#include <fstream>

int main() {
    const char *name = "four.bin";
    {
        std::ofstream out(name, std::ios::binary);
        for (int i = 0; i < 4; i++) out.write((char *)&i, sizeof i);
    }
    {
        std::fstream both(name, std::ios::in | std::ios::out | std::ios::binary);
        int x;
        both.seekg(4);
        both.read((char *)&x, 4);
        both.seekg(4);
        x += 76;
        both.write((char *)&x, 4);
        both.seekp(12);
        both.read((char *)&x, 4);
        printf("last %d\n", x);
    }
    {
        std::fstream more(name, std::ios::in | std::ios::out | std::ios::app | std::ios::binary);
        int x = 5;
        more.seekg(4);
        more.write((char *)&x, 4);
    }
    std::ifstream in(name, std::ios::binary);
    int x;
    while (in.read((char *)&x, 4)) printf("%d ", x);
    printf("\n");
}
