//! The parts of calls and launches.

use super::tokens::Tokens;
use std::ops::Range;

/// A launch, `kernel<<<configuration>>>(arguments)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The tokens of the kernel's expression: `a::b`, `f<int>`, `table[2]`, `(*p)`.
    pub kernel: Range<usize>,
    /// The first token of its `>>>`.
    pub close: usize,
}

impl Launch {
    /// Returns the tokens between `<<<` and `>>>`.
    pub fn configuration(&self) -> Range<usize> {
        self.kernel.end + 3..self.close
    }

    /// Returns the token after `>>>`, which opens the kernel's arguments.
    pub fn open(&self) -> usize {
        self.close + 3
    }
}

impl Tokens {
    /// Returns the tokens of each argument of a call, from its opening parenthesis.
    pub fn arguments(&self, open: usize) -> Option<Vec<Range<usize>>> {
        let close = self.partner(open).filter(|&close| self.is(open, b"(") && self.is(close, b")"))?;
        self.comma_separated(open + 1..close)
    }

    /// Returns the parts of some tokens between the commas that are within no brackets; `None` if a bracket is not
    /// closed.
    pub fn comma_separated(&self, of: Range<usize>) -> Option<Vec<Range<usize>>> {
        let (mut found, mut start, mut at) = (Vec::new(), of.start, of.start);
        while at < of.end {
            match self.word(at) {
                b"(" | b"[" | b"{" => at = self.partner(at)?,
                b"," => {
                    found.push(start..at);
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        found.push(start..of.end);
        Some(found)
    }

    /// Returns the launches, in order.
    pub fn launches(&self) -> impl Iterator<Item = Launch> {
        (0..self.count()).filter_map(|at| self.launch(at))
    }

    /// Returns the launch whose `<<<` begins at a token.
    pub fn launch(&self, open: usize) -> Option<Launch> {
        let first = self.three(open, b"<").then(|| self.callee(open))??;
        let mut at = open + 3;
        while !self.three(at, b">") {
            at = match self.word(at) {
                b"" | b";" | b"}" | b")" | b"]" => return None,
                b"(" | b"[" | b"{" => self.partner(at)? + 1,
                _ => at + 1,
            };
        }
        Some(Launch { kernel: first..open, close: at })
    }

    /// Returns whether three of a bracket follow each other without a gap from a token on.
    fn three(&self, at: usize, bracket: &[u8]) -> bool {
        (0..3).all(|by| self.is(at + by, bracket) && self.start(at + by) == self.start(at) + by)
    }

    /// Returns the first token of the expression that ends before a token and names what is launched.
    fn callee(&self, end: usize) -> Option<usize> {
        let mut at = end.checked_sub(1)?;
        loop {
            match self.word(at) {
                b"]" => {
                    at = self.partner(at)?.checked_sub(1)?;
                    continue;
                }
                b")" => {
                    at = self.partner(at)?;
                    let is_call = at > 0 && self.may_be_type(at - 1);
                    at -= usize::from(is_call);
                }
                b">" => {
                    at = self.opening_angle(at)?.checked_sub(1)?;
                    continue;
                }
                _ if self.is_name(at) => {}
                _ => return None,
            }
            let before = |by| self.before(at, by);
            at = match (before(2), before(1)) {
                (b":", b":") if at >= 3 && (self.may_be_type(at - 3) || self.is(at - 3, b">")) => at - 3,
                (b":", b":") => return Some(at - 2),
                (_, b".") if at >= 2 => at - 2,
                (b"-", b">") if at >= 3 => at - 3,
                _ => return Some(at),
            };
        }
    }

    /// Returns the `<` that a `>` closes, as in `f<a, (b > c)>`.
    pub(super) fn opening_angle(&self, close: usize) -> Option<usize> {
        let (mut at, mut depth) = (close, 0usize);
        loop {
            match self.word(at) {
                b">" => depth += 1,
                b"<" => depth -= 1,
                b")" | b"]" | b"}" => at = self.partner(at)?,
                b"(" | b"[" | b"{" | b";" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
            at = at.checked_sub(1)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(tokens: &Tokens, of: Range<usize>) -> String {
        String::from_utf8_lossy(tokens.text(of)).into_owned()
    }

    #[test]
    fn a_call_has_arguments() {
        let arguments = |call: &str| {
            let tokens = Tokens::of(call.into());
            let found = tokens.arguments(1)?;
            Some(found.into_iter().map(|its| text(&tokens, its)).collect::<Vec<_>>())
        };
        assert_eq!(
            arguments("f(a, g(b, c), d[e, 1], {2, 3})").unwrap(),
            ["a", "g(b, c)", "d[e, 1]", "{2, 3}"]
        );
        assert_eq!(arguments("f()").unwrap(), [""]);
        assert_eq!((arguments("f(a, (b"), arguments("f[a]"), arguments("f")), (None, None, None));
    }

    #[test]
    fn launches_have_three_parts() {
        let launches = |code: &str| {
            let tokens = Tokens::of(code.into());
            let parts = |its: Launch| {
                let arguments = tokens.arguments(its.open()).unwrap_or_default();
                let arguments = arguments.into_iter().map(|its| text(&tokens, its)).collect::<Vec<_>>();
                [text(&tokens, its.kernel.clone()), text(&tokens, its.configuration()), arguments.join("|")]
            };
            tokens.launches().map(parts).collect::<Vec<_>>()
        };
        for kernel in [
            "k",
            "ns::k",
            "::k",
            "t<S, (1 > 0)>",
            "t<N - 1>::k",
            "h.f",
            "(*f)",
            "table[i + 1]",
            "p->q",
            "get(1)",
            "a.get()",
        ] {
            let code = format!("if (x) {kernel}<<<dim3{{1, 2}}, f(3)>>>(a, b);");
            assert_eq!(launches(&code), [[kernel, "dim3{1, 2}, f(3)", "a|b"]], "{kernel}");
            let code = format!("return {kernel} <<<1, 2>>> ();");
            assert_eq!(launches(&code), [[kernel, "1, 2", ""]], "{kernel}");
        }
        for code in ["<<<", "k<<<1, 2;", "k<<<1)>>>", "k< <<1, 2>>>(x)", "a << b", ">>>", "k<<<1, 2> >>(x)"] {
            assert!(launches(code).is_empty(), "{code}");
        }
    }
}
