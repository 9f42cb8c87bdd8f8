//! Statements of a source: where they end, and the loops that contain a line.

use super::words::find;
use super::{Source, Tokens};
use std::ops::Range;

/// Maximum number of loops inspected above a line.
const NEAR_LOOPS: usize = 64;
/// Maximum number of tokens in a statement, counting bracketed groups as one.
const LONGEST_STATEMENT: usize = 1 << 14;

/// A loop, as 1-based lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    pub head: u32,
    pub end: u32,
    /// Whether it contains a call that synchronises.
    pub waits: bool,
}

impl Source<'_> {
    /// Returns the innermost loop around a line, if there is one. The loop's head counts as inside.
    pub fn loop_around(&self, line: u32) -> Option<Loop> {
        self.loop_around_both(line, line)
    }

    /// Returns the innermost loop around two lines.
    pub fn loop_around_both(&self, a: u32, b: u32) -> Option<Loop> {
        let (first, last_line) = (a.min(b), a.max(b));
        let tokens = self.tokens();
        let end = tokens.of_lines(0..first.saturating_add(1)).end;
        let heads = self.loop_heads();
        let above = heads[..heads.partition_point(|head| *head < end)].iter().rev().copied();
        above.take(NEAR_LOOPS).find_map(|head| {
            let end = tokens.statement_end(head);
            let last = tokens.line(end.saturating_sub(1).max(head));
            let waits = || find(tokens.text(head..end), 0, b"sync").is_some();
            (last >= last_line).then(|| Loop { head: tokens.line(head), end: last, waits: waits() })
        })
    }

    /// Returns the number of statements that end on a line, not counting those in brackets, as in the head of
    /// a `for`. A call of a macro that needs no `;` is one.
    pub fn statements_on(&self, line: u32) -> usize {
        let tokens = self.tokens();
        let mut depth = 0i32;
        let ends = tokens.of_lines(line..line + 1).filter(|at| {
            match tokens.word(*at) {
                b"(" | b"[" => depth += 1,
                b")" | b"]" => {
                    depth -= 1;
                    return depth == 0 && self.is_statement_of_macro(*at);
                }
                b";" => return depth <= 0,
                _ => {}
            }
            false
        });
        ends.count()
    }

    /// Returns whether a parenthesis ends the call of a macro that is followed by another statement.
    fn is_statement_of_macro(&self, close: usize) -> bool {
        let tokens = self.tokens();
        let name = tokens.partner(close).and_then(|open| open.checked_sub(1));
        name.is_some_and(|name| self.is_macro_with_arguments(tokens.word(name)))
            && (tokens.is_name(close + 1) || tokens.is(close + 1, b"}"))
    }

    /// Returns whether the condition of a `while` loop on these lines depends on an atomic operation, which is how
    /// locks and flags are waited for.
    pub fn waits_by_atomics(&self, lines: Range<u32>) -> bool {
        let tokens = self.tokens();
        let heads = tokens.of_lines(lines).filter(|at| tokens.is(*at, b"while"));
        heads.filter_map(|head| self.condition(head)).any(|mut condition| {
            condition.any(|at| {
                let word = tokens.word(at);
                word.starts_with(b"atomic") || word == b"load" || word == b"exchange"
            })
        })
    }

    /// Returns whether two lines are part of one statement.
    pub fn in_one_statement(&self, a: u32, b: u32) -> bool {
        let tokens = self.tokens();
        let (first, last) = (a.min(b), a.max(b));
        if !tokens.has_line(first) || !tokens.has_line(last) {
            return false;
        }
        let mut depth = 0i32;
        tokens.of_lines(first..last).all(|at| match tokens.word(at) {
            b"{" | b"}" => false,
            b";" => depth > 0,
            b"(" | b"[" => {
                depth += 1;
                true
            }
            b")" | b"]" => {
                depth -= 1;
                true
            }
            _ => true,
        })
    }
}

impl Tokens {
    /// Returns the token after the statement that begins at a token.
    pub(super) fn statement_end(&self, mut at: usize) -> usize {
        let mut conditional = false;
        loop {
            match self.word(at) {
                word @ (b"for" | b"while" | b"if" | b"switch") => {
                    conditional |= word == b"if";
                    at += 1;
                    if self.is(at, b"(") {
                        at = self.behind(at);
                    }
                    continue;
                }
                b"do" | b"else" => {
                    at += 1;
                    continue;
                }
                b"{" => at = self.behind(at),
                _ => at = self.semicolon(at),
            }
            if !(conditional && self.is(at, b"else")) {
                return at.min(self.count());
            }
        }
    }

    /// Returns the token after a bracket and its contents; the number of tokens if nothing closes it.
    fn behind(&self, open: usize) -> usize {
        self.partner(open).map_or(self.count(), |close| close + 1)
    }

    /// Returns the token after the semicolon that ends a statement, or the bracket that closes the enclosing
    /// block.
    pub(super) fn semicolon(&self, mut at: usize) -> usize {
        for _ in 0..LONGEST_STATEMENT {
            match self.word(at) {
                b"" => break,
                b";" => return at + 1,
                b"(" | b"[" | b"{" => at = self.behind(at),
                b")" | b"]" | b"}" => return at,
                _ => at += 1,
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_loop_around_a_line_is_found() {
        let source = "void f() {
    // for (;;) {
    for (int i = 0; i < 8; i++) {
        if (i) for (;;)
            s[i]++;
        else
            t[i]++;
        __syncthreads();
    }
    const char *text = \"for {\";
    do { x--; } while (x);
    while (y)
        if (a) b(); else
            c();
    x = 1;
}
";
        let cpp = Source::new(source);
        let outer = Loop { head: 3, end: 9, waits: true };
        let inner = Loop { head: 4, end: 5, waits: false };
        let at = |line| cpp.loop_around(line);
        assert_eq!(
            [2, 3, 4, 5, 6, 8].map(at),
            [None, Some(outer), Some(inner), Some(inner), Some(outer), Some(outer)]
        );
        assert_eq!([10, 15, 16, 99].map(at), [None; 4]);
        assert_eq!((at(11).unwrap().head, at(14)), (11, Some(Loop { head: 12, end: 14, waits: false })));
    }

    #[test]
    fn lines_of_one_statement_are_known() {
        let source = "{
    s[t] = // first
        s[t + 1];
    for (int i = 0;
         i < 4;
         i++)
        s[i] = 0;
    if (a) {
        b();
    }
}
";
        let cpp = Source::new(source);
        let one = |a, b| cpp.in_one_statement(a, b);
        assert!(one(2, 3) && one(3, 2) && one(2, 2) && one(4, 6));
        assert!(!one(3, 4) && !one(8, 9) && !one(2, 99) && !one(0, 2));
    }
}
