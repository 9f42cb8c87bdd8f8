//! Remedies for a guard that lets too many threads pass, and for memory that was allocated too small.

use super::{launch, loop_bound, vectors};
use crate::about::About;
use crate::finding::gather::subscripts;
use crate::finding::parameter_names::host_name;
use crate::finding::place::{index, own_line};
use cpp::{Family, assigned, closing, comma_separated, is_name_char, names, uses};
use sim::{Access, AccessKind, Dim3, Target};

/// Returns what to do about an access past an end, where a specific cause is known.
pub fn describe(at: &Access, launch: Option<u32>, about: &About) -> Option<String> {
    let line = own_line(at, about)?;
    let Target::Buffer { name, size_bytes, .. } = &at.target else { return None };
    let made = || counted_in_elements(host_name(at)?, *size_bytes, about);
    let held = || loop_bound::describe(name, line, about);
    made()
        .or_else(|| odd_condition(line, about))
        .or_else(|| includes_the_end(line, about).map(passed))
        .or_else(|| joined_wrongly(line, about))
        .or_else(|| loop_to_the_end(name, line, about))
        .or_else(|| sent_away(line, about))
        .or_else(|| vectors::index(at, about))
        .or_else(|| launch::limit(at, launch?, about))
        .or_else(held)
        .or_else(|| filled(at, line, about))
}

/// Returns a question about the grid, if the block's first thread is already outside and the learner's program
/// chooses the launch; empty otherwise.
pub fn question_about_grid(at: &Access, about: &About) -> String {
    const FIRST: Dim3 = Dim3::new(0, 0, 0);
    if !about.program || at.thread != FIRST || at.block == FIRST {
        return String::new();
    }
    format!(
        " Or is there nothing to do for block {}? Then look at the grid of the launch.",
        index(at.block, about.block_dims)
    )
}

/// Returns what to say about the condition of a line that let a thread without an element pass.
pub fn passed(line: u32) -> String {
    format!(
        "The condition of line {line} lets this thread pass. Put the thread's numbers into it by hand: is every index \
         compared, each with its own end, and with <? The last of n elements is n - 1."
    )
}

/// `if (i <= n)`, `if (i > n) return;`: returns the line of the condition that an access is under or behind, if it
/// compares so that the end itself passes.
fn includes_the_end(line: u32, about: &About) -> Option<u32> {
    let code = about.source;
    let around = code.branch_of_threads(line).map(|branch| branch.head);
    let around = around.filter(|head| is_followed_by_a_bound(code.code_line(*head), "<="));
    around.or_else(|| return_above(line, about, |text| is_followed_by_a_bound(text, ">")))
}

/// `for (int i = 0; i <= n; i++)`, around an access to an array with the subscript `i`.
fn loop_to_the_end(array: &str, line: u32, about: &About) -> Option<String> {
    let head = about.source.loop_around(line)?.head;
    let text = about.source.code_line(head);
    let (start, _) = text.split_once("<=").filter(|_| is_followed_by_a_bound(text, "<="))?;
    let counter = names(start).last().filter(|name| start.trim_end().ends_with(name))?;
    let mut indices = subscripts(about.source.code_line(line)).into_iter();
    let from_0 =
        uses(start, counter).any(|(_, behind)| assigned(behind).is_some_and(|value| value.trim() == "0"));
    let is_its = |index: &str| index.trim() == counter || from_0 && is_row_or_column(index, counter);
    indices.any(|(name, index)| name == array && is_its(index)).then(|| {
        format!(
            "The loop of line {head} compares `{counter}` with <=, so its last pass is for the end itself. The last of n \
             elements is n - 1."
        )
    })
}

/// `row * n + k`, `k * n + col`: returns whether a counter is the row or the column of an index, as it is.
fn is_row_or_column(index: &str, counter: &str) -> bool {
    let terms: Vec<&str> = index.split('+').map(str::trim).collect();
    let factors = |term: &str| term.split('*').any(|factor| factor.trim() == counter);
    let rows = terms.iter().filter(|term| term.contains('*')).count();
    rows == 1 && !index.contains(['-', '(']) && terms.iter().any(|term| factors(term))
}

/// `if (row < m || col < n)`, `if (row >= m && col >= n) return;`: comparisons that are joined by the wrong operator.
fn joined_wrongly(line: u32, about: &About) -> Option<String> {
    fn joins(condition: &str, operator: &str, sign: char, other: char) -> bool {
        let mut sides = condition.split(operator);
        let compares = |side: &str| {
            let (_, bound) = side.split_once(sign).unwrap_or_default();
            let bound = bound.trim_start_matches('=').trim_start();
            !side.contains(other) && bound.starts_with(|c: char| c.is_alphabetic() || c == '_')
        };
        condition.contains(operator) && sides.all(compares)
    }
    let code = about.source;
    let condition = |head: u32| {
        let open = uses(code.code_line(head), "if").next()?.1.trim_start();
        closing(open.bytes()).filter(|_| open.starts_with('(')).map(|end| &open[1..end])
    };
    let around = code.branch_of_threads(line).map(|branch| branch.head);
    if let Some(head) = around.filter(|head| condition(*head).is_some_and(|its| joins(its, "||", '<', '>'))) {
        return Some(format!(
            "With ||, the condition of line {head} lets a thread pass as soon as one of its comparisons holds. Must all \
             of them hold? Then write &&."
        ));
    }
    return_above(line, about, |condition| joins(condition, "&&", '>', '<')).map(|at| {
        format!(
            "With &&, only those threads return in line {at} for which all of its comparisons hold. Is one of them \
             enough? Then write ||."
        )
    })
}

/// Returns the nearest line before an access with an `if (…) return;` that depends on the thread, that the accessing
/// thread must have passed, and whose condition `is_wanted`.
fn return_above(line: u32, about: &About, is_wanted: impl Fn(&str) -> bool) -> Option<u32> {
    let code = about.source;
    let is_passed = |at: &u32| {
        let branch = code.branch_apart(*at, line);
        branch.is_some_and(|its| its.head == *at && its.depends_on_thread)
            && code.loop_around(*at).is_none_or(|its| (its.head..=its.end).contains(&line))
    };
    let mut above = (code.kernel_lines(line).map_or(line, |lines| lines.start)..line).rev();
    above.find(|at| condition_of_return(code.code_line(*at)).is_some_and(&is_wanted) && is_passed(at))
}

/// Returns the condition, in its parentheses, of an `if` on a line under which a thread returns, not under its `else`.
fn condition_of_return(text: &str) -> Option<&str> {
    let open = uses(text, "if").next()?.1.trim_start();
    let end = closing(open.bytes()).filter(|_| open.starts_with('('))?;
    let mut under = names(&open[end + 1..]).take_while(|word| *word != "else");
    under.any(|word| word == "return").then(|| &open[..=end])
}

/// `if (i < n) return;`: the comparison of a guard, the wrong way round.
fn sent_away(line: u32, about: &About) -> Option<String> {
    let is_below_a_name = |text: &str| {
        let behind = text.split('<').nth(1).unwrap_or_default().trim_start_matches('=').trim_start();
        let is_below = ["<", "<="].iter().any(|sign| is_followed_by_a_bound(text, sign));
        is_below && !behind.starts_with(|c: char| c.is_ascii_digit())
    };
    return_above(line, about, is_below_a_name).map(|at| {
        format!(
            "In line {at} the threads return for which the condition holds, and this one goes on. Which should return: \
             those that have an element, or those that have none?"
        )
    })
}

/// Returns whether a comparison has a bare name or number on its right: not `n - 1`.
fn is_followed_by_a_bound(line: &str, sign: &str) -> bool {
    line.match_indices(sign).any(|(at, _)| {
        let (before, behind) = (&line[..at], line[at + sign.len()..].trim_start());
        let end = behind.find(|c| !is_name_char(c)).unwrap_or(behind.len());
        let alone = !before.ends_with(['<', '>', '-']) && end > 0;
        alone && behind[end..].trim_start().starts_with([')', '&', '|', ';'])
    })
}

/// `cudaMalloc(&d_in, n)`: the size should be in bytes, and no `sizeof` is in sight.
fn counted_in_elements(name: &str, size_bytes: u64, about: &About) -> Option<String> {
    let code = about.source.code();
    let arguments = about.source.calls(Family::Allocation).find_map(|call| {
        let (pointer, size) = call.split(';').next()?.split_once(',')?;
        names(pointer).any(|word| word == name).then_some(size)
    })?;
    // What a name in it was assigned, one step back.
    let values = |word| uses(code, word).filter_map(|(_, behind)| assigned(behind));
    // Of several values, that of a pointer's size was in force only if so many bytes were allocated.
    let of_pointer = || {
        let mut sizes = names(arguments).flat_map(values).filter(|_| size_bytes == 8);
        sizes.find_map(|size| size_of_pointer(size, code))
    };
    let counts =
        |text: &str| names(text).any(|word| word == "sizeof") || text.chars().any(|c| c.is_ascii_digit());
    let given = names(arguments).any(|word| {
        // By its name, a function parameter may be a number of bytes.
        values(word).any(counts) || word.contains("bytes") && values(word).next().is_none()
    });
    if let Some(pointer) = size_of_pointer(arguments, code).or_else(of_pointer) {
        return Some(format!(
            "`{pointer}` is a pointer, and sizeof a pointer is 8 bytes, however much it leads to. How many elements should \
             `{name}` hold? Those are n * sizeof(element)."
        ));
    }
    if !about.program || counts(arguments) || given {
        return None;
    }
    let element = element_type(name, code);
    let (elements, each) = match element.as_deref() {
        Some("char" | "unsigned char" | "signed char" | "bool" | "uint8_t" | "int8_t") => return None,
        Some(word @ ("float" | "int" | "double")) => (format!("n {word}s"), word),
        // It says nothing about the elements.
        Some("void") => ("n elements".to_owned(), "element"),
        Some(ty) => ("n elements".to_owned(), ty),
        None => ("n floats".to_owned(), "float"),
    };
    Some(format!(
        "cudaMalloc() counts bytes, and `{name}` has {size_bytes}. Should it hold {elements}? Those are n * sizeof({each})."
    ))
}

/// Returns the pointer whose own size is the whole size of an allocation: `c` in `cudaMalloc(&c, sizeof(c))`.
fn size_of_pointer<'a>(size: &'a str, code: &str) -> Option<&'a str> {
    let operand = size.trim().strip_prefix("sizeof")?.trim_start();
    let operand = operand.strip_prefix('(').unwrap_or(operand);
    let (name, rest) = operand.split_at(operand.find(|c| !is_name_char(c)).unwrap_or(operand.len()));
    let is_all = rest.chars().all(|c| matches!(c, ')' | ' '));
    let is_pointer = |before: &str, behind: &str| {
        let pointer = before.trim_end().strip_suffix('*');
        pointer.is_some_and(|kind| {
            let kind = kind.trim_end();
            kind.ends_with(is_name_char) || kind.ends_with([',', '('])
        }) && behind.trim_start().starts_with([';', ',', ')', '='])
    };
    let declared = uses(code, name).find(|(before, behind)| is_pointer(before, behind));
    (is_all && declared.is_some()).then_some(name)
}

/// Returns the type of the elements that a pointer leads to, from its declaration: `float` for `float *a, *name`,
/// `float *` for `float **name`.
fn element_type(name: &str, code: &str) -> Option<String> {
    const QUALIFIERS: [&str; 3] = ["const", "static", "volatile"];
    uses(code, name).find_map(|(before, _)| {
        let declared = before.trim_end().strip_suffix('*')?;
        let statement = declared.rsplit([';', '{', '}', '(', ')']).next()?;
        let own = statement.rsplit(',').next()?;
        // Of several declarators, the type precedes the first.
        let typed = if names(own).next().is_some() { own } else { statement };
        let words: Vec<&str> =
            names(typed.split('*').next()?).filter(|word| !QUALIFIERS.contains(word)).collect();
        let stars = own.matches('*').count();
        let is_type = !words.is_empty() && !typed.contains(['=', '#']) && words[0] != "return";
        is_type.then(|| {
            let space = if stars > 0 { " " } else { "" };
            format!("{}{space}{}", words.join(" "), "*".repeat(stars))
        })
    })
}

/// A condition around the access, or above it, that does not express what was meant.
fn odd_condition(line: u32, about: &About) -> Option<String> {
    let first = about.source.kernel_lines(line)?.start;
    let mut above = (first..=line).rev().map(|line| (line, about.source.code_line(line)));
    above.find_map(|(number, text)| {
        let (word, rest) =
            ["if", "while"].into_iter().find_map(|word| Some((word, uses(text, word).next()?.1)))?;
        let open = rest.trim_start();
        let end = closing(open.bytes()).filter(|_| open.starts_with('('))?;
        let (condition, behind) = (&open[1..end], open[end + 1..].trim_start());
        if word == "if" && behind.starts_with(';') {
            return Some(format!(
                "The ; after the condition of line {number} ends the `if`: every thread executes what follows. \
                 Remove it."
            ));
        }
        if let Some(name) = assigns_to(condition).filter(|_| word == "if") {
            return Some(format!(
                "`=` does not compare: line {number} sets `{name}`, and the condition holds if that is not 0. Write \
                 == to compare, or < to stay below a limit."
            ));
        }
        if has_single_and(condition) {
            return Some(format!(
                "`&` evaluates both of its sides: line {number} tests the right one even if the left one is false. \
                 Write &&, which stops there."
            ));
        }
        if has_comma(condition) {
            return Some(format!(
                "A comma in a condition drops what is before it: line {number} tests only what is after the last one. \
                 Write && if both are meant."
            ));
        }
        chained(condition).then(|| {
            format!(
                "Line {number} compares twice in one expression: `0 <= i < n` compares 0 or 1 with n. Write \
                 0 <= i && i < n."
            )
        })
    })
}

/// `i = n`: returns the variable that a condition assigns to, if it does nothing else.
fn assigns_to(condition: &str) -> Option<&str> {
    let (name, value) = condition.split_once('=')?;
    let name = name.trim();
    (!value.starts_with('=') && !name.is_empty() && name.chars().all(is_name_char)).then_some(name)
}

/// `a < n & b[a] == c`: returns whether a single `&` joins comparisons.
fn has_single_and(condition: &str) -> bool {
    let compares = |side: &str| ["<", ">", "==", "!="].iter().any(|sign| side.contains(sign));
    condition
        .split("&&")
        .flat_map(|part| part.split("||"))
        .any(|part| part.match_indices('&').any(|(at, _)| compares(&part[..at]) && compares(&part[at + 1..])))
}

/// `a, b`: returns whether a comma separates expressions instead of arguments.
fn has_comma(condition: &str) -> bool {
    comma_separated(condition).count() > 1 && !condition.contains(">(")
}

/// `a < b < c`: returns whether comparisons are chained.
fn chained(condition: &str) -> bool {
    condition.split("&&").flat_map(|part| part.split("||")).any(|part| {
        let shifts = part.contains("<<") || part.contains(">>") || part.contains("->");
        !shifts && !part.contains(['(', '[']) && part.matches(['<', '>']).count() > 1
    })
}

/// The value is stored to a shared array, so the thread must not skip the code.
fn filled(at: &Access, line: u32, about: &About) -> Option<String> {
    let text = about.source.code_line(line);
    let (left, _) = text.split_once('=').filter(|_| at.kind == AccessKind::Read)?;
    let array = left.split('[').next().and_then(|left| names(left).last())?;
    let shared = left.contains('[') && !about.source.shared_arrays(array).is_empty();
    let Target::Buffer { name, .. } = &at.target else { return None };
    let by_rows = match about.shapes.get(&**name) {
        Some(shape) => shape.len() > 1,
        None => subscripts(text).iter().any(|(array, index)| {
            **array == **name && index.contains('*') && !names(index).any(|word| word == "blockIdx")
        }),
    };
    let rows = if by_rows { ", and whether the index has the right row length" } else { "" };
    shared.then(|| {
        format!(
            "Work out by hand which element this thread needs here{rows}. If there is none, store 0 in `{array}` instead: \
             the thread must still reach the barriers.{}",
            question_about_grid(at, about)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpp::Source;
    use sim::{Actor, SourceLocation};

    fn tell(source: &str, line: u32) -> Option<String> {
        let source = Source::new(source);
        let about = About::program("a.cu", &source);
        let location = SourceLocation { file: "a.cu".into(), line, column: 1 };
        let target = Target::Buffer { name: "d_in".into(), size_bytes: 5, offset_bytes: 4 };
        let at = Access { bytes: 4, target, ..Access::by(Actor::Thread, Some(location)) };
        describe(&at, None, &about)
    }

    #[test]
    fn bytes_are_counted_in_the_elements_of_the_pointer() {
        let with = |declared: &str, size: &str| {
            let source = format!("void f(int n) {{ {declared}\ncudaMalloc(&d_in, {size}); }}");
            tell(&source, 2).unwrap_or_default()
        };
        assert!(with("float *a, *d_in;", "n").contains("n floats? Those are n * sizeof(float)."));
        assert!(with("const int *d_in;", "n").contains("n ints? Those are n * sizeof(int)."));
        assert!(with("Pair *d_in;", "n").contains("n elements? Those are n * sizeof(Pair)."));
        for (declared, ty) in [
            ("unsigned long long *d_in;", "unsigned long long"),
            ("float *h, **d_in;", "float *"),
            ("void * *d_in;", "void *"),
            ("void *d_in;", "element"),
        ] {
            let said = with(declared, "n");
            assert!(said.ends_with(&format!("Those are n * sizeof({ty}).")), "{declared}: {said}");
        }
        assert_eq!((with("char *d_in;", "n"), with("uint8_t *d_in;", "n")), Default::default());
        for (declared, size) in [("int *d_in, *h;", "sizeof(h)"), ("int *h, *d_in;", "sizeof d_in")] {
            assert!(with(declared, size).contains("sizeof a pointer is 8 bytes"), "{declared} {size}");
        }
        let sizes =
            [("int *d_in, h[9];", "sizeof(h)"), ("int *h;", "n * sizeof(*h)"), ("T *d_in;", "sizeof(T)")];
        for (declared, size) in sizes {
            assert_eq!(with(declared, size), "", "{declared} {size}");
        }
    }

    #[test]
    fn a_loop_that_includes_the_end_is_told_its_line() {
        let tell = |head: &str, access: &str| {
            let source = format!(
                "__global__ void k(int n) {{\n    for (int i = 0; {head}; i++) {{\n        {access}\n    }}\n}}\n"
            );
            tell(&source, 3).unwrap_or_default()
        };
        let said = tell("i <= n", "sum += d_in[i];");
        assert!(said.starts_with("The loop of line 2 compares `i` with <=, so its last pass"), "{said}");
        for access in ["sum += d_in[i * n + col];", "sum += d_in[row * n + i];"] {
            assert!(tell("i <= n", access).starts_with("The loop of line 2 compares"), "{access}");
        }
        for (head, access) in [
            ("i < n", "sum += d_in[i];"),
            ("i < n", "sum += d_in[row * n + i];"),
            ("i <= n", "sum += d_in[i - 1];"),
            ("i <= n", "sum += d_in[first + i];"),
            ("i <= n", "sum += d_in[(y + i) * w + x];"),
            ("i <= n - 1", "sum += d_in[i];"),
        ] {
            assert!(!tell(head, access).contains("<="), "{head} {access}");
        }
    }

    #[test]
    fn the_size_of_a_pointer_is_known_by_its_variable_too() {
        let said = |size_bytes| {
            let source = "void f(float *in) { size_t bytes = sizeof(in);\ncudaMalloc(&d_in, bytes); }";
            let source = Source::new(source);
            counted_in_elements("d_in", size_bytes, &About::program("a.cu", &source))
        };
        assert!(said(8).unwrap().starts_with("`in` is a pointer, and sizeof a pointer is 8 bytes"));
        assert!(!said(20).unwrap_or_default().contains("is a pointer"));
    }

    #[test]
    fn memory_that_was_counted_in_elements_is_told() {
        let source = |bytes: &str, size: &str| {
            format!(
                "__global__ void f(float *in, int n) {{\n    if (0 < n) in[0] = 1;\n}}\nvoid g(int n) {{\n    size_t \
                 bytes = {bytes};\n    CHECK(cudaMalloc(&d_in, {size}));\n}}\n"
            )
        };
        assert!(tell(&source("n", "bytes"), 2).unwrap().contains("`d_in` has 5"));
        assert!(tell(&source("n", "n"), 2).unwrap().contains("n * sizeof(float)"));
        assert_eq!(tell(&source("n * sizeof(float)", "bytes"), 2), None);
        assert_eq!(tell(&source("n", "n * 4"), 2), None);
        assert_eq!(tell(&source("n", "n_bytes"), 2), None);
    }

    #[test]
    fn a_condition_that_does_not_say_what_was_meant_is_told() {
        let kernel = |condition: &str| {
            format!("__global__ void f(float *in, int n) {{\n    {condition}\n        in[i] = 1;\n}}\n")
        };
        let describe = |condition: &str| tell(&kernel(condition), 3).unwrap_or_default();
        assert!(describe("if (i < n);").starts_with("The ; after the condition of line 2"));
        assert!(describe("if (0 <= i < n)").starts_with("Line 2 compares twice"));
        assert_eq!(tell(&kernel("if (i < n && (i & 1) == 0)"), 3), None);
        assert!(describe("while (i < n & in[i] == 0)").starts_with("`&` evaluates both"));
        assert!(describe("if (i < rows, j < cols)").contains("line 2 tests only what is after"));
        assert!(describe("if (i = n)").contains("line 2 sets `i`"));
        for fine in [
            "if (i == n)",
            "if (i <= n)",
            "if (int k = i) {",
            "if (i < n)",
            "if (0 <= i && i < n)",
            "if (i < (n >> 1)) {",
            "if (f(i < n, n > 2))",
        ] {
            assert_eq!(describe(fine), "", "{fine}");
        }
    }

    #[test]
    fn a_condition_that_the_end_passes_is_named() {
        let describe = |condition: &str| {
            let source = format!(
                "__global__ void f(float *in, int n) {{\n    int i = threadIdx.x;\n    {condition}\n        in[i] = 1;\n}}\n"
            );
            tell(&source, 4).unwrap_or_default()
        };
        for wide in ["if (i <= n)", "if (i <= n && i > 0)", "if (i > n) return;"] {
            assert!(describe(wide).starts_with("The condition of line 3 lets this thread pass."), "{wide}");
        }
        for fine in ["if (i < n)", "if (i <= n - 1)", "if (i >= n) return;", "if (i > n - 1) return;"] {
            assert_eq!(describe(fine), "", "{fine}");
        }
    }

    #[test]
    fn comparisons_that_are_joined_wrongly_are_told() {
        let describe = |condition: &str| {
            let source = format!(
                "__global__ void f(float *in, int m, int n) {{\n    int x = threadIdx.x, y = threadIdx.y;\n    \
                 {condition}\n    in[y * n + x] = 1;\n}}\n"
            );
            tell(&source, 4).unwrap_or_default()
        };
        assert!(describe("if (y < m || x < n)").starts_with("With ||, the condition of line 3"));
        assert!(describe("if (y >= m && x >= n) return;").starts_with("With &&, only those threads return"));
        for fine in [
            "if (y < m && x < n)",
            "if (y < 1 || x < 1)",
            "if (y < m || m > n)",
            "if (y >= m || x >= n) return;",
            "if (y >= m) return;",
        ] {
            assert_eq!(describe(fine), "", "{fine}");
        }
    }

    #[test]
    fn a_return_of_the_wrong_threads_is_asked_about() {
        let describe = |condition: &str| {
            let source = format!(
                "__global__ void f(float *in, int n) {{\n    int i = threadIdx.x;\n    {condition}\n    in[i] = 1;\n}}\n"
            );
            tell(&source, 4).unwrap_or_default()
        };
        for wrong in ["if (i < n) return;", "if (i <= n) { return; }"] {
            assert!(describe(wrong).starts_with("In line 3 the threads return"), "{wrong}");
        }
        for fine in [
            "if (i >= n) return;",
            "if (i < 0) return;",
            "if (n < 4) return;",
            "if (i < n) in[0] = 2;",
            "if (i < n) in[0] = 2; else return;",
        ] {
            assert_eq!(describe(fine), "", "{fine}");
        }
    }

    #[test]
    fn what_goes_into_shared_memory_is_filled_with_zeros() {
        let source =
            "__global__ void f(float *in, int n) {\n    __shared__ float s[32];\n    s[t] = in[i];\n}\n";
        let said = tell(source, 3).unwrap();
        assert!(said.contains("store 0 in `s` instead") && !said.contains("row length"), "{said}");
        assert!(tell(&source.replace("in[i]", "d_in[y * n + x]"), 3).unwrap().contains("row length"));
        assert_eq!(tell(&source.replace("s[t] =", "x[t] ="), 3), None);
    }
}
