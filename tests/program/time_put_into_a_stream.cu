// A time is written to a stream in a form of its own.
#include <ctime>
#include <iomanip>
#include <iostream>

int main() {
    std::tm when = {};
    when.tm_year = 124, when.tm_mon = 1, when.tm_mday = 29, when.tm_hour = 9, when.tm_min = 5;
    std::cout << std::put_time(&when, "%Y-%m-%d %H:%M:%S") << "\n";
}
