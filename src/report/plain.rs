//! What newcomers do most, in plain words, beside what the compiler says of it.

use super::arguments;
use super::escape::is_hidden;
use crate::cpp::{Source, distance, is_name_char, names};

/// Words of CUDA that are misspelt.
const WORDS: [&str; 28] = [
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "__global__",
    "__device__",
    "__shared__",
    "__constant__",
    "__restrict__",
    "__launch_bounds__",
    "__syncthreads",
    "__syncwarp",
    "__shfl_down_sync",
    "__shfl_sync",
    "__shfl_xor_sync",
    "__threadfence",
    "atomicAdd",
    "atomicMax",
    "atomicMin",
    "atomicCAS",
    "printf",
    "nullptr",
    "true",
    "false",
    "float",
    "unsigned",
    "double",
];
/// Calls of programs that are misspelt.
const CALLS: [&str; 16] = [
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocHost",
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpyHostToDevice",
    "cudaMemcpyDeviceToHost",
    "cudaMemset",
    "cudaFree",
    "cudaFreeHost",
    "cudaDeviceSynchronize",
    "cudaStreamSynchronize",
    "cudaGetLastError",
    "cudaGetErrorString",
    "cudaSuccess",
    "cudaError_t",
];
/// Variables that have three parts.
const OF_THREE: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];
/// The least length of a word that others are compared with by letters.
const COMPARED: usize = 4;
/// Characters of a line that is shown mended.
const LONGEST_SHOWN: usize = 60;
/// Different words of a source that are compared.
const MOST_WORDS: usize = 4096;

/// What to do about a message at a place of a source, 1-based, which is a whole program or kernels alone; `None` where the message says it all or
/// nothing is known.
pub(super) fn plain(message: &str, line: u32, column: u32, source: &Source, program: bool) -> Option<String> {
    let text = source.code_line(line);
    let at = column.saturating_sub(1) as usize;
    let here = Here { text, at, line, source, code: source.code(), program };
    let quoted: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
    arguments::RULES.iter().chain(&RULES).find_map(|rule| rule(message, &quoted, &here))
}

/// Whether a message follows from the one before, whose line is `previous`: once the compiler has lost
/// its way it finds fault with what is right.
pub(super) fn follows(message: &str, line: u32, before: &str, previous: u32) -> bool {
    let lost = |message: &str| {
        const LOST: [&str; 5] = [
            "expected ",
            "explicit type is missing",
            "missing closing quote",
            "comment unclosed",
            "unrecognized token",
        ];
        LOST.iter().any(|start| message.starts_with(start))
    };
    let unknown = before.starts_with("identifier ") && before.ends_with(" is undefined");
    let outside = at_file_scope(before);
    let to_the_end =
        ["missing closing quote", "comment unclosed"].iter().any(|start| before.starts_with(start));
    // The first is told with what it is; the rest of its line helps nobody.
    let again = message == "unrecognized token" && before == message && line == previous;
    again
        || message.starts_with("expected ")
            && (to_the_end
                || line == previous && (lost(before) || unknown || outside)
                || lost(before)
                    && ["a statement", "a declaration", "a \"}\""].iter().any(|what| message.contains(what)))
}

pub(super) struct Here<'a> {
    /// The line, without comments and literals.
    text: &'a str,
    /// Characters before the place.
    at: usize,
    /// 1-based.
    pub line: u32,
    pub source: &'a Source<'a>,
    /// The whole source, without comments and literals.
    pub code: &'a str,
    /// It is a whole program, not kernels alone.
    program: bool,
}

impl Here<'_> {
    pub fn rest(&self) -> String {
        self.text.chars().skip(self.at).collect()
    }

    pub fn before(&self) -> String {
        self.text.chars().take(self.at).collect()
    }

    /// The word that begins at the place; empty where none does.
    pub fn word(&self) -> String {
        self.rest().chars().take_while(|c| is_name_char(*c)).collect()
    }

    pub fn has(&self, what: &str) -> bool {
        self.text.contains(what)
    }
}

pub(super) type Rule = fn(&str, &[&str], &Here) -> Option<String>;

const RULES: [Rule; 14] = [
    kernel_called,
    lacks_device,
    unknown_name,
    unknown_type,
    member,
    three_parts,
    read_only,
    not_whole,
    returned,
    misspelt_word,
    astray,
    not_cpp,
    no_elements,
    host_only,
];

fn unknown_name(message: &str, quoted: &[&str], here: &Here) -> Option<String> {
    let name =
        quoted.first().filter(|_| message.starts_with("identifier ") && message.ends_with("is undefined"))?;
    if let Some((line, end)) = here.source.ended_before(name, here.line) {
        return Some(format!(
            "`{name}` of line {line} ends with the braces that it stands in, in line {end}: declare it before they begin."
        ));
    }
    const HEADERS: [(&[&str], &str); 4] = [
        (&["half", "__half", "half2", "__half2", "__float2half", "__half2float", "__hadd"], "cuda_fp16.h"),
        (&["__nv_bfloat16", "nv_bfloat16", "__float2bfloat16", "__bfloat162float"], "cuda_bf16.h"),
        (&["nvcuda", "wmma"], "mma.h"),
        (&["cooperative_groups", "cg"], "cooperative_groups.h"),
    ];
    if let Some((_, header)) = HEADERS.iter().find(|(names, _)| names.contains(name)) {
        return Some(format!("It comes with a header: #include <{header}> at the top."));
    }
    if let Some(near) = nearest(name, here) {
        return Some(format!("Did you mean `{near}`?"));
    }
    if here.program {
        return None;
    }
    if name.strip_prefix("cuda").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())) {
        return Some("That is for the host to call. Here only the kernel is written: memory and launch are the lesson's.".into());
    }
    let rest = here.rest();
    let behind = rest.trim_start_matches(is_name_char).trim_start();
    if behind.starts_with('=') && !behind.starts_with("==") {
        return Some(format!("A variable is declared with its type: int {name} = …"));
    }
    Some(match behind.starts_with('(') {
        true => format!(
            "No function `{name}` is known here: it must be written above, with __device__ before it."
        ),
        false => format!(
            "Nothing called `{name}` is declared above: is it a parameter that the kernel does not have?"
        ),
    })
}

/// The known word, or that of the source, which is nearly this one.
fn nearest(name: &str, here: &Here) -> Option<String> {
    let bare = |word: &str| word.replace('_', "").to_lowercase();
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for word in names(here.code) {
        if counts.len() < MOST_WORDS || counts.contains_key(word) {
            *counts.entry(word).or_default() += 1;
        }
    }
    // A word that is there once or more, but not the one in question.
    let theirs = counts.keys().copied().filter(|word| *word != name && word.len() >= COMPARED);
    let calls = CALLS.iter().copied().filter(|_| here.program);
    let known = WORDS.iter().copied().chain(calls).chain(theirs);
    let edits = |word: &str| match bare(word) == bare(name) {
        true => 0,
        false if name.len() < COMPARED => usize::MAX,
        false => distance(word, name),
    };
    let near =
        known.map(|word| (edits(word), word)).filter(|&(edits, word)| edits <= 2 && edits * 3 < word.len());
    near.min_by_key(|&(edits, _)| edits).map(|(_, word)| word.to_owned())
}

fn unknown_type(message: &str, _: &[&str], here: &Here) -> Option<String> {
    if !message.starts_with("explicit type is missing") {
        return None;
    }
    let near = nearest(&here.word(), here)?;
    Some(format!("Did you mean `{near}`?"))
}

fn member(message: &str, quoted: &[&str], here: &Here) -> Option<String> {
    if message.starts_with("operator -> or ->* applied to") {
        return Some(format!("It is no pointer: its parts are taken with a dot, as in {}.x.", here.word()));
    }
    if !message.contains(" has no member ") {
        return None;
    }
    match quoted {
        ["uint3" | "dim3", ..] => Some("Its parts are x, y and z.".into()),
        ["std", "cout" | "endl" | "cerr"] if message.starts_with("namespace") => {
            Some("A kernel prints with printf: printf(\"%d\\n\", i).".into())
        }
        ["std", name] if ["max", "min", "abs", "sqrt", "exp", "pow", "fabs"].contains(name) => {
            Some(format!("Without std:: it is there: CUDA's own {name} needs no header."))
        }
        _ => None,
    }
}

/// `threadIdx` without `.x`.
fn three_parts(message: &str, _: &[&str], here: &Here) -> Option<String> {
    if !(message.contains("uint3\"")
        || message.contains("dim3\"")
        || message.contains(" uint3")
        || message.contains(" dim3"))
    {
        return None;
    }
    let whole = OF_THREE.iter().find(|name| {
        let mut places = here.text.match_indices(*name);
        places.any(|(at, _)| {
            let rest = &here.text[at + name.len()..];
            !rest.trim_start().starts_with(['.', '-']) && !rest.starts_with(is_name_char)
        })
    })?;
    Some(format!("`{whole}` has three parts: did you mean {whole}.x?"))
}

fn read_only(message: &str, _: &[&str], here: &Here) -> Option<String> {
    if !message.starts_with("expression must be a modifiable lvalue") {
        return None;
    }
    let word = here.word();
    let is = |name: &str| word == name;
    if OF_THREE.iter().any(|name| is(name)) {
        return Some(format!("`{word}` tells which thread this is: it can be read, not set."));
    }
    if word.is_empty() || !declared_const(here.code, &word) {
        return Some("What stands on the left of = can't be changed: is it const, or a whole array?".into());
    }
    Some(match here.rest().strip_prefix(&*word).is_some_and(|rest| rest.trim_start().starts_with('[')) {
        true => format!(
            "`{word}` is const, an input: its elements can be read, not written. Where should the result go?"
        ),
        false => format!("`{word}` is const: it keeps the value that it was given."),
    })
}

/// Whether a declaration such as `const float *name` is in the source.
fn declared_const(code: &str, name: &str) -> bool {
    code.split([',', ';', '(', ')', '{', '}', '=']).any(|piece| {
        let is_const = names(piece).any(|word| matches!(word, "const" | "constexpr"));
        is_const && names(piece).any(|word| word == name)
    })
}

fn not_whole(message: &str, _: &[&str], here: &Here) -> Option<String> {
    if !message.starts_with("expression must have integral or unscoped enum type") {
        return None;
    }
    let rest = here.rest();
    let part: String = rest.chars().take_while(|c| *c != ';').collect();
    Some(match () {
        () if here.has("<<") && !here.has("<<<") && here.has(">>(") => {
            "A launch has three angle brackets on each side: kernel<<<blocks, threads>>>(…).".into()
        }
        () if here.before().trim_end().ends_with('[') => {
            "An index is a whole number: declare it as int.".into()
        }
        () if part.contains('%') => "% is for whole numbers: of floats the remainder is fmodf(x, y).".into(),
        () if part.contains('^') => "^ is no power: write x * x, or powf(x, y).".into(),
        () => return None,
    })
}

fn returned(message: &str, _: &[&str], here: &Here) -> Option<String> {
    let of_kernel = message.starts_with("a __global__ function must have a void return type");
    let of_void = message.starts_with("return value type does not match the function type");
    let above = (1..here.line).rev().map(|line| (line, here.source.code_line(line)));
    let above = above.take(3).find(|(_, text)| !text.trim().is_empty());
    if let Some((line, text)) = above.filter(|_| of_void && !here.before().contains("return"))
        && names(text).last() == Some("return")
        && text.trim_end().ends_with("return")
    {
        return Some(format!("A ; is missing at the end of line {line}, behind `return`."));
    }
    (of_kernel || of_void).then(|| {
        "A kernel is void and returns nothing: its results are written to memory, as in out[i] = …".into()
    })
}

/// Brackets that do not match, and code where none can be.
fn astray(message: &str, _: &[&str], here: &Here) -> Option<String> {
    let rest = here.rest();
    Some(match message {
        "comment unclosed at end of file" => {
            "The comment that begins here with /* goes on to the end: close it with */.".into()
        }
        "missing closing quote" => {
            "The text that begins here has no end: a \" is missing in this line.".into()
        }
        "expected a declaration" if rest.starts_with('}') => {
            "This } closes nothing: is there one too many, or a { missing above?".into()
        }
        _ if at_file_scope(message) && here.has("<<<") => match here.program {
            true => "A launch stands inside a function of the host, such as main().".into(),
            false => "The lesson launches the kernel: leave the launch out.".into(),
        },
        "expected a declaration" => "Statements stand inside a function: is there a } too many above?".into(),
        _ if at_file_scope(message) => {
            "Statements stand inside a function: is there a } too many above?".into()
        }
        "expected a statement" if rest.starts_with("else") => {
            "This else has no if before it: is there a ; after the if (…), or are { } missing?".into()
        }
        _ if message.starts_with("expected a \"}\"") => {
            "One { is never closed: the one below, or another after it.".into()
        }
        _ if message.contains("has already been declared in the current scope") => {
            "To change it, leave out the type; for another variable take another name.".into()
        }
        "expression has no effect" if here.has("==") => "== compares; a single = stores.".into(),
        _ => return None,
    })
}

/// It stands outside of functions, and is no declaration.
fn at_file_scope(message: &str) -> bool {
    message == "expected a declaration"
        || message.starts_with("this declaration has no storage class or type specifier")
}

/// `Extern "C"`, `Void f()`.
fn misspelt_word(message: &str, _: &[&str], here: &Here) -> Option<String> {
    const WORDS: [&str; 9] =
        ["extern", "static", "const", "constexpr", "template", "void", "using", "struct", "namespace"];
    let word = here.word();
    let near = WORDS.iter().find(|known| distance(known, &word.to_lowercase()) <= 1)?;
    (at_file_scope(message) && word != **near).then(|| format!("Did you mean `{near}`?"))
}

/// Characters that a page or a word processor has, and C++ has not outside of comments and literals.
fn not_cpp(message: &str, _: &[&str], here: &Here) -> Option<String> {
    if message != "unrecognized token" {
        return None;
    }
    let c = here.rest().chars().next().filter(|c| !c.is_ascii())?;
    let number = u32::from(c);
    Some(match c {
        '\u{201c}'..='\u{201f}' => {
            format!("`{c}` is a curly quote, as pages have it: type a straight one, \".")
        }
        '\u{2018}'..='\u{201b}' => {
            format!("`{c}` is a curly quote, as pages have it: type a straight one, '.")
        }
        '\u{2010}'..='\u{2015}' | '\u{2212}' => {
            format!("`{c}` is a dash, as pages have it: minus is typed -.")
        }
        '\u{d7}' => "`×` is typed * here.".into(),
        _ if c.is_whitespace() => format!(
            "There is a blank that is none to the compiler, U+{number:04X}, as pages have it: type a plain one."
        ),
        _ if is_hidden(c) => {
            format!(
                "There is a character that can't be seen, U+{number:04X}: delete it, or type the line anew."
            )
        }
        _ => format!("`{c}`, U+{number:04X}, means nothing in C++: was it copied from a page?"),
    })
}

/// Elements and members of what has none.
fn no_elements(message: &str, quoted: &[&str], here: &Here) -> Option<String> {
    const NUMBERS: [&str; 12] = [
        "float", "double", "int", "unsigned", "char", "long", "short", "bool", "size_t", "half", "__half",
        "void",
    ];
    let word = here.word();
    if message.starts_with("expression must have pointer-to-object type") && !word.is_empty() {
        let rest: String = here.rest().chars().filter(|c| !c.is_whitespace()).collect();
        if arguments::has_comma_extents(here.code, &word) {
            return Some(arguments::TWO_DIMENSIONS.into());
        }
        return Some(match rest.contains("][") {
            true => format!(
                "`{word}[…]` is one element already. A buffer has one index: {word}[row * cols + col]."
            ),
            false => format!("`{word}` is one value: only pointers and arrays have elements."),
        });
    }
    if !message.starts_with("expression must have class type") || word.is_empty() {
        return None;
    }
    let ty = quoted.first()?;
    let of_numbers = names(ty).any(|word| NUMBERS.contains(&word));
    Some(match ty.trim_end().ends_with('*') {
        true if of_numbers => {
            format!(
                "`{word}` is a pointer: it has no members, and does not know how many elements there are."
            )
        }
        true => format!("`{word}` is a pointer: members behind one are taken with ->, as in {word}->x."),
        false => format!("`{word}` is one value: it has no members."),
    })
}

/// The line with its launch.
fn kernel_called(message: &str, quoted: &[&str], here: &Here) -> Option<String> {
    let name = quoted.first().filter(|_| message.starts_with("a kernel is launched, not called"))?;
    let behind = here.rest().strip_prefix(name)?.to_owned();
    let statement = behind.split_inclusive(';').next().unwrap_or_default();
    let shown = match statement.trim_end() {
        whole if whole.ends_with(';') && whole.chars().count() <= LONGEST_SHOWN => whole.trim_start(),
        _ => "(…);",
    };
    Some(format!("With 256 threads a block for n elements: {name}<<<(n + 255) / 256, 256>>>{shown}"))
}

/// The declaration with what it lacks.
fn lacks_device(message: &str, quoted: &[&str], here: &Here) -> Option<String> {
    let name = quoted.first().filter(|_| message.ends_with(" lacks __device__"))?;
    let number = message.rsplit_once(": line ")?.1.split(' ').next()?.parse::<usize>().ok()?;
    let line = here.code.lines().nth(number.checked_sub(1)?)?.split('{').next()?.trim();
    let shown = match line.contains(name) && line.chars().count() <= LONGEST_SHOWN {
        true => format!(": __device__ {}", line.trim_end_matches(';')),
        false => ".".into(),
    };
    Some(format!(
        "Where the host calls it too, write __host__ __device__ in front of it; else __device__{shown}"
    ))
}

fn host_only(message: &str, _: &[&str], here: &Here) -> Option<String> {
    if here.program {
        return None;
    }
    if message.starts_with("A function explicitly marked as a __host__ function") {
        return Some("The host's functions don't run here: what a kernel calls is marked __device__.".into());
    }
    if message.starts_with("device-side kernel launch could not be processed") {
        return Some("The lesson launches the kernel: leave out main() and all that the host does.".into());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_compared_with_words_of_cuda_and_of_the_source() {
        let near = |name, code| {
            let source = Source::new(code);
            nearest(name, &Here { text: "", at: 0, line: 1, source: &source, code, program: true })
        };
        assert_eq!(near("cudaMemCpy", ""), Some("cudaMemcpy".into()));
        assert_eq!(near("threadidx", "threadidx"), Some("threadIdx".into()));
        assert_eq!(near("syncthreads", ""), Some("__syncthreads".into()));
        assert_eq!(near("shared", ""), Some("__shared__".into()));
        assert_eq!(near("True", ""), Some("true".into()));
        assert_eq!(near("totl", "float total; totl"), Some("total".into()));
        assert_eq!(near("n", "int m; n"), None);
        assert_eq!(near("row", "int col; row"), None);
        assert_eq!(near("é", "é"), None);
    }

    #[test]
    fn only_what_is_known_is_said() {
        let say = |message: &str, source: &str| plain(message, 1, 1, &Source::new(source), false);
        assert_eq!(say("something else", "x"), None);
        assert_eq!(say("", ""), None);
        assert_eq!(
            plain("expression must be a modifiable lvalue", 99, 99, &Source::new("x"), true)
                .map(|s| s.len() > 9),
            Some(true)
        );
        assert!(
            say("expression must be a modifiable lvalue", "in[0] = 1; // const float *in")
                .unwrap()
                .contains("is it const")
        );
        let source = "in[0] = 1; void f(const float *__restrict__ in);";
        assert!(
            say("expression must be a modifiable lvalue", source)
                .unwrap()
                .starts_with("`in` is const, an input")
        );
    }

    #[test]
    fn what_pages_and_other_languages_have_is_named() {
        let say =
            |message: &str, column: u32, source: &str| plain(message, 1, column, &Source::new(source), false);
        let token = |column, source| say("unrecognized token", column, source).unwrap_or_default();
        assert!(token(8, "printf(\u{201c}hi\u{201d});").contains("straight one, \""));
        assert!(token(5, "x = \u{2018}a\u{2019};").contains("straight one, '"));
        assert!(token(3, "x \u{2013}= 1;").contains("minus"));
        assert!(token(4, "int\u{a0}x;").contains("U+00A0"));
        assert!(token(4, "int\u{200b} x;").contains("can't be seen, U+200B"));
        assert_eq!(say("unrecognized token", 1, "@"), None);
        let flat = "expression must have pointer-to-object type but it has type \"float\"";
        assert!(say(flat, 1, "out[row][col] = 1;").unwrap().contains("out[row * cols + col]"));
        assert!(say(flat, 5, "x = n[0];").unwrap().starts_with("`n` is one value"));
        let class = |ty: &str| {
            say(&format!("expression must have class type but it has type \"{ty}\""), 5, "n = in.size();")
        };
        assert!(class("const float *").unwrap().contains("how many elements"));
        assert!(class("S *").unwrap().contains("in->x"));
        assert!(class("int").unwrap().contains("no members"));
        let outside = "this declaration has no storage class or type specifier";
        assert_eq!(say(outside, 1, "Extern \"C\" int x;").as_deref(), Some("Did you mean `extern`?"));
        assert!(say(outside, 1, "map<<<1, 4>>>(0);").unwrap().contains("leave the launch out"));
        assert!(say(outside, 1, "x = 1;").unwrap().contains("inside a function"));
    }

    #[test]
    fn what_follows_from_a_message_is_known() {
        let unknown = "identifier \"shared\" is undefined";
        assert!(follows("expected a \";\"", 3, unknown, 3));
        assert!(!follows("expected a \";\"", 4, unknown, 3));
        assert!(follows("expected a statement", 6, "expected a \")\"", 3));
        assert!(!follows("expected a \";\"", 6, "expected a \";\"", 3));
        assert!(!follows("identifier \"x\" is undefined", 3, unknown, 3));
        assert!(follows("unrecognized token", 3, "unrecognized token", 3));
        assert!(follows("expected an expression", 3, "unrecognized token", 3));
        assert!(!follows("unrecognized token", 4, "unrecognized token", 3));
    }
}
