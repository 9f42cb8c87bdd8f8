// Static data members of class type, defined outside their class, are constructed before main, in the order of their
// definitions.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace app {

class Log {
    static std::vector<int> lines;

  public:
    struct Names {
        static std::map<std::string, int> known;
    };
    static const std::string title;
    static int added;

    static int add(int line) {
        lines.push_back(line);
        return ++added;
    }
    static int sum() {
        int all = 0;
        for (int line : lines) all += line;
        return all;
    }
};

std::vector<int> Log::lines = {10, 20};
int Log::added = 0;

} // namespace app

const std::string app::Log::title("log");
std::map<std::string, int> app::Log::Names::known{{"one", 1}, {"two", 2}};

int main() {
    app::Log::add(3);
    app::Log::add(4);
    app::Log::Names::known["three"] = 3;
    printf("%s: %d added, sum %d, %zu names\n", app::Log::title.c_str(), app::Log::added, app::Log::sum(),
           app::Log::Names::known.size());
}
