//! Branches of a source: code that only some threads may execute.

use super::Source;
use std::ops::Range;

/// An `if` statement with all that belongs to it, as 1-based lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    pub head: u32,
    pub end: u32,
    /// Whether its condition depends on the thread.
    pub depends_on_thread: bool,
}

impl Source<'_> {
    /// Returns the outermost `if` around `line` that does not contain `other`, a line of the same function.
    pub fn branch_apart(&self, line: u32, other: u32) -> Option<Branch> {
        let mut all = self.branches(line);
        all.find(|branch| !(branch.head..=branch.end).contains(&other))
    }

    /// Returns the innermost `if` around a line whose condition depends on the thread.
    pub fn branch_of_threads(&self, line: u32) -> Option<Branch> {
        self.branches(line).filter(|branch| branch.depends_on_thread).last()
    }

    /// Returns the `if` that begins on `line` with code behind its brace, has a condition that depends on the thread,
    /// and contains another line.
    pub fn branch_begun_on(&self, line: u32, other: u32) -> Option<Branch> {
        let tokens = self.tokens();
        let goes_on = tokens
            .of_lines(line..line + 1)
            .any(|at| tokens.is(at, b"{") && tokens.before(at, 1) == b")" && tokens.line(at + 1) == line);
        self.branches(other).find(|its| goes_on && its.head == line && its.depends_on_thread)
    }

    /// Returns whether a line has nothing but the condition of an `if` that contains another line.
    pub fn is_condition_of(&self, line: u32, other: u32) -> bool {
        let tokens = self.tokens();
        let words = || tokens.of_lines(line..line + 1);
        let is_alone = words().find(|at| !tokens.is(*at, b"}") && !tokens.is(*at, b"else"));
        let Some(head) = is_alone.filter(|at| tokens.is(*at, b"if")) else { return false };
        let behind = self.condition(head).and_then(|condition| words().find(|at| *at > condition.end));
        behind.is_none_or(|at| tokens.is(at, b"{") && tokens.line(at + 1) > line)
            && self.branches(other).any(|its| its.head == line && other > line)
    }

    /// Returns the `if`s around a line, outermost first. The line of the `if` itself counts only if the
    /// branch is on that line.
    fn branches(&self, line: u32) -> impl Iterator<Item = Branch> + '_ {
        let tokens = self.tokens();
        let first = self.function_lines(line).map_or(0, |lines| lines.start);
        let heads = tokens.of_lines(first..line.saturating_add(1)).filter(|at| tokens.is(*at, b"if"));
        heads.filter_map(move |head| {
            let condition = self.condition(head)?;
            let end = tokens.line(tokens.statement_end(head).saturating_sub(1).max(head));
            let (begins, on) = (tokens.line(condition.end + 1), tokens.line(head));
            // The opening brace of a branch that continues below may follow the condition.
            let begins = if end > on { begins.max(on + 1) } else { begins };
            (begins..=end).contains(&line).then(|| Branch {
                head: tokens.line(head),
                end,
                depends_on_thread: self.depends_on_thread(condition),
            })
        })
    }

    /// Returns the tokens between the parentheses of an `if`.
    pub(super) fn condition(&self, head: usize) -> Option<Range<usize>> {
        let tokens = self.tokens();
        // Also `if constexpr (…)`.
        let open = (head + 1..head + 3).find(|at| tokens.is(*at, b"("))?;
        Some(open + 1..tokens.partner(open)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "__global__ void f(int *a, int n) {
    int t = threadIdx.x;
    if (t == 0) {
        for (int k = 0; k < n; k++)
            a[k] = 1;
    }
    if (n > 4) {
        a[t] = 2;
    } else
        a[t] = 3;
    if (t < n) a[t] = 4;
    a[0] = 5;
}
";

    #[test]
    fn the_branch_that_two_lines_do_not_share_is_found() {
        let source = Source::new(SOURCE);
        let branch = |head, end, depends_on_thread| Some(Branch { head, end, depends_on_thread });
        assert_eq!(source.branch_apart(5, 12), branch(3, 6, true));
        assert_eq!(source.branch_apart(10, 12), branch(7, 10, false));
        assert_eq!(source.branch_apart(10, 8), None);
        assert_eq!(source.branch_apart(11, 12), branch(11, 11, true));
        assert_eq!(source.branch_apart(3, 12), None);
        assert_eq!(source.branch_apart(99, 12), None);
        assert_eq!((source.branch_of_threads(5), source.branch_of_threads(8)), (branch(3, 6, true), None));
    }
}
