#include <cstdio>
#include <string>
#include <string_view>

using namespace std::string_literals;
using namespace std::string_view_literals;

void show(const std::string &s) { printf("[%s] %zu\n", s.c_str(), s.size()); }

int main(int argc, char **) {
    std::string a = "hello", b("world"), c(5, 'z'), d(b, 1, 3), e = {'x', 'y'};
    show(a + ", " + b + '!');
    show(c + d + e);
    a += " there";
    a += '.';
    a.append(b).append(2, '-').append("tail", 2);
    show(a);
    printf("%zu %zu %zu\n", std::string().capacity(), std::string(16, 'a').capacity(), a.capacity());
    std::string grows;
    for (int i = 0; i < 70; ++i) grows.push_back('a' + i % 26);
    printf("%zu %s\n", grows.capacity(), grows.c_str());
    show(grows.substr(10, 5));
    printf("%d %d %d\n", (int)grows.find("xyz"), (int)grows.find('c', 5), (int)grows.rfind('c'));
    printf("%d %d\n", grows.find("nope") == std::string::npos, (int)grows.find_first_of("zyx"));
    printf("%d %d\n", (int)a.find_last_of("el"), (int)a.find_first_not_of("hel"));
    a.replace(0, 5, "goodbye");
    a.insert(3, "<>");
    a.erase(10, 4);
    show(a);
    a.resize(4);
    a.resize(6, '+');
    show(a);
    printf("%d %d %d %d\n", a == "goo<++", a != b, std::string("abc") < "abd", b.compare("word") < 0);
    for (char &ch : b) ch = ch - 'a' + 'A';
    show(b);
    show(std::string(b.rbegin(), b.rend()));
    show(std::to_string(42) + std::to_string(-7L) + " " + std::to_string(3.5) + " " + std::to_string(1.0f / 3) + " " +
         std::to_string(18446744073709551615ull));
    printf("%d %ld %.3f %.3f %llu\n", std::stoi("12abc"), std::stol("-99"), std::stof("2.5e1"), std::stod("0.125"),
           std::stoull("123456789012345"));
    size_t used = 0;
    int parsed = std::stoi("ff", &used, 16);
    printf("%d %zu\n", parsed, used);
    std::string moved = std::move(grows);
    printf("%zu %zu\n", moved.size(), grows.size());
    std::swap(moved, b);
    show(moved);
    show(b.substr(0, 3));
    show("literal"s + std::string("view"sv));
    std::string_view view = moved;
    view.remove_prefix(1);
    printf("%.*s %zu %d\n", (int)view.size(), view.data(), view.find('L'), view == "ORLD");
    printf("%c %c %c\n", moved.front(), moved.back(), moved[2]);
    moved.pop_back();
    moved.clear();
    printf("%d %zu\n", moved.empty(), moved.size());
    const char *files[] = {"data.csv", "kernel.cu", "none"};
    for (std::string name : files) {
        size_t dot = name.rfind('.');
        show(dot == std::string::npos ? "-" : name.substr(dot + 1));
    }
    std::string self = "abc";
    self += self;
    self.append(self).append(self);
    show(self);
    self = self.substr(1, 2);
    show(self);
    char raw[8] = {};
    std::string("copied").copy(raw, 4);
    printf("%s\n", raw);
    printf("%zu\n", std::hash<std::string>()("hash me"));
    std::string lines = "a,b,,c";
    size_t from = 0, to;
    while ((to = lines.find(',', from)) != std::string::npos) {
        show(lines.substr(from, to - from));
        from = to + 1;
    }
    show(lines.substr(from));
}
