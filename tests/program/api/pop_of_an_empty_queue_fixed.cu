// Queues, stacks, lists and texts are emptied, and no further.
#include <cstdio>
#include <deque>
#include <forward_list>
#include <list>
#include <queue>
#include <stack>
#include <string>
#include <vector>

int main() {
    std::queue<int> frontier;
    std::priority_queue<int> greatest;
    std::stack<int> open;
    std::list<int> links;
    std::forward_list<int> chain;
    std::deque<int> ring;
    std::string text = "abc";
    int sum = 0;
    for (int i = 1; i < 4; i++) {
        frontier.push(i);
        greatest.push(i);
        open.push(i);
        links.push_back(i);
        chain.push_front(i);
        ring.push_front(i);
    }
    for (; !frontier.empty(); frontier.pop()) sum += frontier.front() + frontier.back();
    for (; !greatest.empty(); greatest.pop()) sum += greatest.top();
    for (; !open.empty(); open.pop()) sum += open.top();
    for (; !links.empty(); links.pop_back()) sum += links.front() - links.back();
    for (; !chain.empty(); chain.pop_front()) sum += chain.front();
    for (size_t i = 0; i < ring.size(); i++) sum += ring[i];
    for (int &one : ring) one++;
    for (; !ring.empty(); ring.pop_front()) sum += ring.back() * ring.front();
    for (; !text.empty(); text.pop_back()) sum += text.back() - 'a';
    printf("%d %zu\n", sum, frontier.size() + ring.size() + text.size());
}
