//! Arrays of a kernel that are private to each thread.

use super::Source;
use super::words::is_no_type;
use std::ops::Range;
use std::str::from_utf8;

/// An array that is declared in a kernel without `__shared__`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateArray<'a> {
    pub name: &'a str,
    /// Line of its declaration, 1-based.
    pub line: u32,
    /// The text of its declaration, such as `float tile[32]`.
    pub declaration: &'a str,
    /// Text between each pair of its brackets.
    pub extents: Vec<&'a str>,
}

impl Source<'_> {
    /// Returns the kernels' arrays that are private to each thread, in order.
    pub fn private_arrays(&self) -> Vec<PrivateArray<'_>> {
        let bodies = self.kernels().filter_map(|kernel| kernel.body.clone());
        bodies.flat_map(|body| body.filter_map(|at| self.private_array(at)).collect::<Vec<_>>()).collect()
    }

    /// Returns the array that was most likely meant to be shared by the block: it is indexed by the thread,
    /// and there is a barrier after its declaration.
    pub fn array_without_shared(&self) -> Option<PrivateArray<'_>> {
        let tokens = self.tokens();
        self.private_arrays().into_iter().find(|array| {
            let Some(lines) = self.kernel_lines(array.line) else { return false };
            let waits = self.barriers().iter().any(|line| (array.line..lines.end).contains(line));
            let by_thread = |at: usize| {
                let of_threads = |end| {
                    self.depends_on_thread(at + 2..end)
                        && !(at + 2..end).any(|name| self.counts_a_loop(name, lines.clone()))
                };
                tokens.is(at, array.name.as_bytes())
                    && tokens.is(at + 1, b"[")
                    && tokens.partner(at + 1).is_some_and(of_threads)
            };
            let is_shared = self.shared_arrays(array.name).iter().len() > 0;
            waits && !is_shared && tokens.of_lines(lines.clone()).any(by_thread)
        })
    }

    /// Returns whether a name at a token is also the counter of some loop in these lines, possibly in another
    /// scope.
    fn counts_a_loop(&self, name: usize, lines: Range<u32>) -> bool {
        let tokens = self.tokens();
        let counter = |head: usize| {
            let end = tokens.partner(head + 1)?;
            let set =
                (head + 2..end).take_while(|at| !tokens.is(*at, b";")).find(|at| tokens.is(*at, b"="))?;
            Some(tokens.word(set - 1))
        };
        tokens.is_name(name)
            && tokens
                .of_lines(lines)
                .filter(|at| tokens.is(*at, b"for") && tokens.is(at + 1, b"("))
                .any(|head| counter(head) == Some(tokens.word(name)))
    }

    /// Returns the declaration whose name is at a token.
    fn private_array(&self, name: usize) -> Option<PrivateArray<'_>> {
        const OTHERS: [&[u8]; 6] =
            [b"__shared__", b"__constant__", b"extern", b"static", b"const", b"constexpr"];
        let tokens = self.tokens();
        if !tokens.is_name(name) || !tokens.is(name + 1, b"[") {
            return None;
        }
        // From the beginning of the statement there are only words of a type, or of a type and of other declarators.
        let of_type = |at: &usize| tokens.is_name(*at) || matches!(tokens.word(*at), b":" | b"<" | b">");
        let plain = (0..name).rev().take_while(of_type).last();
        let first = plain.or_else(|| self.first_of_declarators(name))?;
        let begins = first.checked_sub(1).is_some_and(|at| matches!(tokens.word(at), b";" | b"{" | b"}"));
        let of_first = (first..name).take_while(of_type);
        let typed = begins
            && !of_first.clone().any(|at| is_no_type(tokens.word(at)) || OTHERS.contains(&tokens.word(at)))
            && (plain.is_some() || of_first.filter(|at| tokens.is_name(*at)).count() > 1);
        let mut extents = Vec::new();
        let mut at = name + 1;
        while typed && tokens.is(at, b"[") {
            let close = tokens.partner(at)?;
            extents.push(from_utf8(tokens.text(at + 1..close)).ok()?);
            at = close + 1;
        }
        let ends = matches!(tokens.word(at), b";" | b"=" | b"{" | b",");
        (ends && !extents.is_empty()).then_some(())?;
        Some(PrivateArray {
            name: from_utf8(tokens.word(name)).ok()?,
            line: tokens.line(name),
            declaration: from_utf8(tokens.text(first..at)).ok()?,
            extents,
        })
    }

    /// Returns where the statement begins in which a name follows another declarator: `int` for `b` in `int a[2], b[2]`.
    fn first_of_declarators(&self, name: usize) -> Option<usize> {
        let tokens = self.tokens();
        let mut first = name;
        if tokens.before(name, 1) != b"," {
            return None;
        }
        loop {
            let before = first.checked_sub(1)?;
            first = match tokens.word(before) {
                b")" | b"]" => tokens.partner(before)?,
                // Braces before a comma enclose values.
                b"}" if tokens.is(first, b",") => tokens.partner(before)?,
                b";" | b"{" | b"}" => return Some(first),
                b"(" | b"[" => return None,
                _ => before,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_array_of_a_declaration_is_found() {
        let names = |body: &str| {
            let text = format!("__global__ void f(int *o) {{ {body} }}");
            let source = Source::new(&text);
            source.private_arrays().iter().map(|array| array.name.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("int first[4], second[4];"), ["first", "second"]);
        assert_eq!(names("unsigned int k = f(1), s[2] = {1, 2}, t[2];"), ["s", "t"]);
        assert!(names("x = a[1], b[2]; g(a[1], b[2]); a[0], b[0]; int y = a[0];").is_empty());
    }

    #[test]
    fn an_array_that_should_be_the_blocks_is_found() {
        let kernel = |declared: &str, used: &str| {
            format!(
                "__global__ void f(const float *in, float *out) {{\n    {declared}\n    int t = threadIdx.x;\n    \
                 {used}\n    __syncthreads();\n    out[t] = in[t];\n}}\n"
            )
        };
        let found = |declared: &str, used: &str| {
            let text = kernel(declared, used);
            Source::new(&text).array_without_shared().map(|array| array.declaration.to_owned())
        };
        assert_eq!(found("float tile[32];", "tile[t] = in[t];"), Some("float tile[32]".into()));
        assert_eq!(
            found("unsigned int s[2][N];", "s[t / N][t % N] = 1;"),
            Some("unsigned int s[2][N]".into())
        );
        assert_eq!(found("__shared__ float tile[32];", "tile[t] = in[t];"), None);
        assert_eq!(found("float sums[4];", "for (int k = 0; k < 4; k++) sums[k] = 0;"), None);
        assert_eq!(found("const int table[4] = {1, 2, 3, 4};", "x = table[t];"), None);
        assert_eq!(found("float x;", "out[t] = in[t];"), None);
        // Another variable `f` depends on the thread.
        let two = "{ int f = t / 9; x = f; } for (int f = 0; f < 4; f++) sums[f] = 0;";
        assert_eq!(found("float sums[4];", two), None);
        let without = kernel("float s[8];", "s[t] = 1;").replace("__syncthreads();", "");
        assert_eq!(Source::new(&without).array_without_shared(), None);
    }
}
