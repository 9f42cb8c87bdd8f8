//! Where functions use variables of the device by their names.

use super::{Source, Space};
use std::collections::{HashMap, HashSet};

/// A use of a variable with `__device__` or `__constant__` by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableUse {
    pub name: String,
    /// Whether it is in constant memory.
    pub is_constant: bool,
    /// Whether it is certainly written.
    pub is_write: bool,
    /// The execution space of the function that uses it.
    pub space: Space,
    /// The token of the name.
    pub token: usize,
}

#[derive(Clone, Copy)]
struct Variable {
    is_constant: bool,
    is_array: bool,
}

/// Functions that only read the value of an argument.
const READERS: [&[u8]; 5] = [b"printf", b"fprintf", b"sprintf", b"snprintf", b"assert"];
/// Functions that write to the memory that their first argument points to.
const WRITERS: [&[u8]; 4] = [b"memcpy", b"memmove", b"memset", b"strcpy"];

impl Source<'_> {
    /// Returns the uses in free functions, in order, of the values of the variables that the source declares for the
    /// device, without constants. What may be another use (an address, an argument for a parameter that may be a
    /// reference, a hidden name, a conditional line) is left out.
    pub fn device_variable_uses(&self) -> Vec<VariableUse> {
        let tokens = self.tokens();
        let mut found = Vec::new();
        if !["__device__", "__constant__"].iter().any(|mark| self.text().contains(mark)) {
            return found;
        }
        let known = self.device_variables();
        for function in self.functions().unwrap_or_default() {
            let Some(body) = function.body.clone() else { continue };
            if !function.is_free || function.has_unclear_space {
                continue;
            }
            let has_lambda_for_device = body.clone().any(|at| tokens.is(at, b"__device__"));
            let own = self.declaration_start(function.parameters.start)..body.end;
            let is_hidden = |at: &usize| known.contains_key(tokens.word(*at)) && is_declared_at(self, *at);
            let hidden: HashSet<&[u8]> = own.filter(is_hidden).map(|at| tokens.word(at)).collect();
            for at in body.clone() {
                let name = tokens.word(at);
                let Some(variable) = known.get(name) else { continue };
                let is_other = has_lambda_for_device || self.is_conditional(at) || hidden.contains(name);
                if let Some(is_write) = self.value_use(at, *variable).filter(|_| !is_other) {
                    found.push(VariableUse {
                        name: String::from_utf8_lossy(name).into_owned(),
                        is_constant: variable.is_constant,
                        is_write,
                        space: function.space,
                        token: at,
                    });
                }
            }
        }
        found
    }

    /// Returns the variables for the device at namespace level, by name; a name that is declared twice is left out.
    fn device_variables(&self) -> HashMap<&[u8], Variable> {
        const OTHERS: [&[u8]; 9] = [
            b"const",
            b"constexpr",
            b"__managed__",
            b"extern",
            b"template",
            b"__shared__",
            b"operator",
            b"using",
            b"volatile",
        ];
        let tokens = self.tokens();
        let mut found: HashMap<&[u8], Option<Variable>> = HashMap::new();
        for mark in
            (0..tokens.count()).filter(|at| matches!(tokens.word(*at), b"__device__" | b"__constant__"))
        {
            let head = self.declaration_start(mark);
            // Arguments of a template, which may be several, are part of the type.
            let mut depth = 0;
            let ends = |at: &usize| {
                match tokens.word(*at) {
                    b"<" => depth += 1,
                    b">" => depth -= 1,
                    _ => {}
                }
                matches!(tokens.word(*at), b";" | b"{")
                    || depth == 0 && matches!(tokens.word(*at), b"=" | b"[" | b"(" | b",")
            };
            let Some(end) = (mark..tokens.count()).find(ends) else { continue };
            let is_other =
                (head..end).any(|at| OTHERS.contains(&tokens.word(at)) || self.is_macro(tokens.word(at)));
            let is_variable = !tokens.is(end, b"(") && end > mark + 2 && tokens.is_name(end - 1);
            if is_variable && !self.is_conditional(mark) && self.scope(mark) == super::Scope::Namespace {
                let is_constant = (head..end).any(|at| tokens.is(at, b"__constant__"));
                let variable = Variable { is_constant, is_array: tokens.is(end, b"[") };
                let its = found.entry(tokens.word(end - 1)).or_insert(Some(variable));
                *its = its.filter(|_| !is_other && !self.is_macro(tokens.word(end - 1)));
            }
        }
        found.into_iter().filter_map(|(name, its)| Some((name, its?))).collect()
    }

    /// Returns whether the value of the variable at a token is written; `None` if it may not be its value that is used.
    fn value_use(&self, name: usize, variable: Variable) -> Option<bool> {
        let tokens = self.tokens();
        let before = tokens.before(name, 1);
        if matches!(before, b"." | b":" | b"&") || before == b">" && tokens.before(name, 2) == b"-" {
            return None;
        }
        let mut behind = name + 1;
        while matches!(tokens.word(behind), b"[" | b".") {
            behind = if tokens.is(behind, b".") { behind + 2 } else { tokens.partner(behind)? + 1 };
        }
        let is_whole = behind == name + 1;
        if tokens.is(behind, b"(") {
            return None;
        }
        if tokens.is_changed(name..behind) && !(is_whole && variable.is_array) {
            return Some(true);
        }
        // What the calls around it may do with it.
        let mut inside = name;
        while let Some(open) = self.opening_around(inside) {
            let callee = tokens.word(open.checked_sub(1)?);
            let is_call = tokens.is_name(open - 1)
                && !matches!(callee, b"if" | b"while" | b"for" | b"switch" | b"return");
            let is_launch = callee == b">" && tokens.before(open, 2) == b">";
            let is_known = READERS.contains(&callee);
            if is_call && WRITERS.contains(&callee) && is_whole && variable.is_array {
                return Some(inside == open + 1);
            }
            if is_launch
                || is_call
                    && !is_known
                    && (is_whole || inside == name || super::words::find(callee, 0, b"Symbol").is_some())
            {
                return None;
            }
            inside = open;
        }
        (!is_whole || !variable.is_array).then_some(false)
    }

    /// Returns the parenthesis that opens around a token within its statement.
    fn opening_around(&self, token: usize) -> Option<usize> {
        let tokens = self.tokens();
        let mut around = tokens.brackets_around(token);
        around.find(|at| !tokens.is(*at, b"[")).filter(|at| tokens.is(*at, b"("))
    }
}

/// Returns whether a name is declared at a token, or may be: it follows a type, or is one of the names of a declaration.
fn is_declared_at(source: &Source, at: usize) -> bool {
    let tokens = source.tokens();
    let before = tokens.before(at, 1);
    let is_type =
        at > 0 && tokens.is_name(at - 1) && !matches!(before, b"return" | b"else" | b"case" | b"do");
    let ends = matches!(tokens.word(at + 1), b"=" | b";" | b"," | b")" | b"[" | b"{" | b"(" | b":");
    // Also a pointer, a reference, or a further name after a comma; in doubt the name is hidden.
    is_type
        || ends && before == b"&" && tokens.is_name(at - 2)
        || ends && matches!(before, b"*" | b">" | b",") && !tokens.is(at + 1, b")") && is_statement(source, at)
        || is_bound(source, at)
        // A reference or a pointer to an array or a function: `int (&name)[2]`.
        || matches!(before, b"&" | b"*") && tokens.before(at, 2) == b"(" && tokens.is(at + 1, b")")
}

/// Returns whether a token is one of the names of a structured binding, `auto [a, b]`.
fn is_bound(source: &Source, at: usize) -> bool {
    let tokens = source.tokens();
    let Some(open) = tokens.brackets_around(at).next() else { return false };
    let of = if tokens.before(open, 1) == b"&" { tokens.before(open, 2) } else { tokens.before(open, 1) };
    tokens.is(open, b"[") && of == b"auto"
}

/// Returns whether the statement of a token begins with two names, as a declaration does.
fn is_statement(source: &Source, at: usize) -> bool {
    let start = source.declaration_start(at);
    let tokens = source.tokens();
    tokens.is_name(start)
        && !tokens.is(start + 1, b"(")
        && !tokens.is(start + 1, b"=")
        && !tokens.is(start + 1, b"[")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &str = "__constant__ float c[4];\n__device__ int n = 5;\n__device__ const int fixed = 3;\n\
        __device__ float4 v; __managed__ int m; __device__ int f(int);\n";

    fn uses(body: &str) -> Vec<(String, bool)> {
        let source = format!("{DECLARED}int main(int argc, char **argv) {{ {body} }}\n");
        Source::new(&source).device_variable_uses().into_iter().map(|its| (its.name, its.is_write)).collect()
    }

    #[test]
    fn values_are_read_and_written() {
        for (body, name, is_write) in [
            ("for (int i = 0; i < 4; i++) c[i] = h[i];", "c", true),
            ("memcpy(c, h, 16);", "c", true),
            ("memcpy(h, c, 16);", "c", false),
            ("n += 2;", "n", true),
            ("++n;", "n", true),
            ("v.x = 1;", "v", true),
            ("printf(\"%d\", n);", "n", false),
            ("int a = n + 1;", "n", false),
            ("if (n == 3) return 1;", "n", false),
            ("std::cout << n;", "n", false),
            ("return c[2];", "c", false),
        ] {
            assert_eq!(uses(body), [(name.to_owned(), is_write)], "{body}");
        }
    }

    #[test]
    fn what_may_be_another_use_is_left_out() {
        for body in [
            "cudaMemcpyToSymbol(c, h, 16); CHECK(cudaMemcpyFromSymbol(&h, n, sizeof(n), 0, kind));",
            "k<<<1, 2>>>(n); upload(n, 3); int *p = &n; float *q = c; cudaMalloc(&n, 3);",
            "int n = 3; n = 4; printf(\"%d\", n);",
            "s.n = 3; p->n = 4; S::n = 5; printf(\"%d\", m + fixed); f(2);",
            "sizeof(n); decltype(n) a; auto g = [] __device__ { n = 3; };",
            "\n#ifdef X\nn = 3;\n#endif\n",
            "for (int n : all) n = 2;",
            "int a = 1, n = 2; printf(\"%d\", n);",
            "int i, n; n = 3; i = n;",
            "int a[2]; int (&n)[2] = a; n[0] = 1;",
            "auto [n, b] = pair(); n = b;",
            "auto &[b, n] = other; n = b;",
            "std::vector<int> n(3); n[0] = 1;",
        ] {
            assert_eq!(uses(body), [], "{body}");
        }
        let template = format!("{DECLARED}template <int n> int use() {{ return n; }}\n");
        assert_eq!(Source::new(&template).device_variable_uses(), []);
        let of_template = "__device__ std::atomic<int, 3> count; __constant__ array<float, 4> c;\n\
            int main() { int a = 1; float b = 2; }";
        assert_eq!(Source::new(of_template).device_variable_uses(), []);
    }

    #[test]
    fn the_space_of_the_function_is_known() {
        let source =
            Source::new("__constant__ int c[4]; __global__ void k(int *o) { c[0] = 5; o[0] = c[1]; }");
        let all = source.device_variable_uses();
        let found: Vec<_> = all.iter().map(|its| (its.space, its.is_write, its.is_constant)).collect();
        assert_eq!(found, [(Space::Kernel, true, true), (Space::Kernel, false, true)]);
    }
}
