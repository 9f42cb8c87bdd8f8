// Where a stream begins to write in a file that is there: at its start if it is opened for both directions, at its end
// with app or ate, and in an empty file otherwise.
#include <fstream>
#include <iostream>
#include <string>

void show(const char *what) {
    std::ifstream file("lines.txt");
    std::string line;
    std::cout << what << ":";
    while (std::getline(file, line)) std::cout << " [" << line << "]";
    std::cout << "\n";
}

int main() {
    {
        std::ofstream file("lines.txt");
        file << "first line\nsecond line\n";
    }
    show("written");
    {
        std::fstream file("lines.txt", std::ios::in | std::ios::out);
        file << "FIRST";
    }
    show("over the start");
    {
        std::fstream file("lines.txt");
        std::string word;
        file >> word;
        file.seekp(11);
        file << word;
    }
    show("over the second");
    {
        std::fstream file("lines.txt", std::ios::in | std::ios::out | std::ios::app);
        file << "third line\n";
    }
    show("behind the end");
    {
        std::ofstream file("lines.txt", std::ios::in);
        file << "1";
        file.seekp(0, std::ios::end);
        file << "4\n";
    }
    show("at both ends");
    {
        std::ofstream file("lines.txt");
        file << "alone";
    }
    show("anew");
}
