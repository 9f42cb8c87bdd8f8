//! Hints in plain words for the most common mistakes of newcomers, shown in addition to the compiler's message.

mod arguments;
mod astray;
mod atomics;
mod headers;
mod macros;
mod names;
mod spaces;
mod types;
mod vectors;

use compiler::{Diagnostic, Expected, Message, MessageKind, Subject};
use cpp::{Source, is_name_char};

/// Returns what to do about a diagnostic. `message` is the part of it that is shown; `program` says that the
/// source is a whole program instead of kernels alone. `None` where the message suffices or nothing is known.
pub fn plain(message: &str, diagnostic: &Diagnostic, source: &Source, program: bool) -> Option<String> {
    let here = MessageContext {
        message: Message::of(message),
        text: source.code_line(diagnostic.line),
        at: diagnostic.column.saturating_sub(1) as usize,
        line: diagnostic.line,
        source,
        code: source.code(),
        program,
        subject: diagnostic.subject.as_ref(),
    };
    let rows = HINTS.iter().filter(|(kinds, _)| kinds.is_empty() || kinds.contains(&here.message.kind));
    rows.filter_map(|(_, hint)| hint.at(&here)).next()
}

/// Returns whether a message is a consequence of the one before, which is on line `previous`: once the compiler's
/// parser has lost its way, it reports correct code.
pub fn follows(message: &str, line: u32, before: &str, previous: u32) -> bool {
    use MessageKind::{
        MacroArguments, NoInitialiser, NoNamespace, NoTemplate, NotConstant, StructuredBinding,
        TooFewArguments, TypeMissing, UnclosedComment, UnclosedQuote, UndefinedName,
    };
    // A header that does not belong into this file has many of them.
    let (message, before) = (Message::of(message), Message::of(before));
    if message.library().is_some() && before.library().is_some() {
        return true;
    }
    let (kind, before) = (message.kind, before.kind);
    let unknown = matches!(before, UndefinedName | NoNamespace | NoTemplate);
    // Of a macro with too many arguments, what is left of its line is compiled.
    if before == MacroArguments && line == previous {
        return matches!(kind, MessageKind::Expected(_) | TooFewArguments);
    }
    let to_the_end = matches!(before, UnclosedQuote | UnclosedComment);
    let lost = to_the_end
        || matches!(before, MessageKind::Expected(_) | TypeMissing | MessageKind::UnrecognizedToken);
    match kind {
        // What follows an unknown name is parsed as a declaration.
        NotConstant | StructuredBinding | NoInitialiser => unknown && line == previous,
        UndefinedName => matches!(before, NoNamespace | NoTemplate) && line == previous,
        // The first unrecognised character gets a hint; further ones on its line are not helpful.
        MessageKind::UnrecognizedToken => before == kind && line == previous,
        MessageKind::Expected(what) => {
            let structure =
                matches!(what, Expected::Statement | Expected::Declaration | Expected::ClosingBrace);
            let outside = AT_FILE_SCOPE.contains(&before);
            to_the_end || line == previous && (lost || unknown || outside) || lost && structure
        }
        _ => false,
    }
}

/// A message, and the place that it is about.
struct MessageContext<'a> {
    message: Message<'a>,
    /// The line, without comments and literals.
    text: &'a str,
    /// 0-based column of the place, in characters.
    at: usize,
    /// 1-based.
    line: u32,
    source: &'a Source<'a>,
    /// The whole source, without comments and literals.
    code: &'a str,
    /// Whether it is a whole program instead of kernels alone.
    program: bool,
    /// The subject of the message, where this tool raised it itself.
    subject: Option<&'a Subject>,
}

/// The brackets of a launch, `kernel<<<configuration>>>(arguments)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaunchPart {
    Configuration,
    Arguments,
}

impl<'a> MessageContext<'a> {
    /// Returns the line up to the place, and from there on.
    fn parts(&self) -> (&'a str, &'a str) {
        let start = self.text.char_indices().nth(self.at).map_or(self.text.len(), |(start, _)| start);
        self.text.split_at(start)
    }

    fn rest(&self) -> &'a str {
        self.parts().1
    }

    fn before(&self) -> &'a str {
        self.parts().0
    }

    /// Returns the word that begins at the place; empty where none does.
    fn word(&self) -> &'a str {
        name_at_start(self.rest())
    }

    /// Returns in which brackets of a launch the place is.
    fn launch_part(&self) -> Option<LaunchPart> {
        let tokens = self.source.tokens();
        let place = self.source.token_at(self.line, self.at as u32 + 1)?;
        tokens.launches().find_map(|its| {
            let arguments = its.open()..tokens.partner(its.open()).unwrap_or(its.open());
            match () {
                () if its.configuration().contains(&place) => Some(LaunchPart::Configuration),
                () if arguments.contains(&place) => Some(LaunchPart::Arguments),
                () => None,
            }
        })
    }

    fn has(&self, what: &str) -> bool {
        self.text.contains(what)
    }

    /// Returns whether the word at the place is followed by `[`.
    fn is_subscripted(&self) -> bool {
        self.rest()[self.word().len()..].trim_start().starts_with('[')
    }

    /// Returns whether the place is within a kernel.
    fn in_kernel(&self) -> bool {
        !self.program || self.source.kernel_lines(self.line).is_some()
    }

    /// Returns whether the word at the place is a function-like macro, inside which the compiler reports no
    /// columns.
    fn is_macro(&self) -> bool {
        self.source.is_macro_with_arguments(self.word().as_bytes())
    }

    /// Returns the first argument of the first call, from the place on, of a function whose name starts with
    /// `function`.
    fn argument_of(&self, function: &str) -> Option<&'a str> {
        let (_, behind) = self.rest().split_once(function)?.1.split_once('(')?;
        let mut depth = 0usize;
        let end = behind.find(|c| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' if depth > 0 => depth -= 1,
                ',' | ')' if depth == 0 => return true,
                _ => {}
            }
            false
        })?;
        Some(behind[..end].trim())
    }
}

/// Returns the name that a text begins with; empty where there is none.
fn name_at_start(text: &str) -> &str {
    &text[..text.find(|c| !is_name_char(c)).unwrap_or(text.len())]
}

/// What a row says.
enum Hint {
    Text(&'static str),
    /// Only where this holds.
    Where(fn(&MessageContext) -> bool, &'static str),
    /// What a function makes of the place, if anything.
    By(fn(&MessageContext) -> Option<String>),
}

impl Hint {
    fn at(&self, here: &MessageContext) -> Option<String> {
        match self {
            Hint::Text(text) => Some((*text).into()),
            Hint::Where(holds, text) => holds(here).then(|| (*text).into()),
            Hint::By(hint) => hint(here),
        }
    }
}

/// Something outside functions that is not a declaration.
const AT_FILE_SCOPE: &[MessageKind] =
    &[MessageKind::Expected(Expected::Declaration), MessageKind::NoDeclaration];

/// Rows for messages of any kind: a subject or a place decides.
const ANY: &[MessageKind] = &[];

/// The hints by kinds of messages, the most specific first: the first row that has something to say is shown.
const HINTS: &[(&[MessageKind], Hint)] = {
    use Hint::{By, Text, Where};
    use MessageKind::*;
    &[
        (ANY, By(headers::of_host_code)),
        (
            &[NoTemplate, NoDeclaration, TypeMissing, UndefinedName, Expected(self::Expected::Semicolon)],
            By(astray::directive),
        ),
        (&[Expected(self::Expected::Other)], By(macros::declared_as_macro)),
        (ANY, By(arguments::launch)),
        (&[WrongArgument], By(arguments::stream)),
        (
            &[WrongValue, WrongAssignment, WrongInitialiser, NoOperator],
            Where(arguments::has_comma_in_index, TWO_DIMENSIONS),
        ),
        (&[NoEffect], By(arguments::comma_in_index)),
        (&[MacroArguments], By(arguments::launch_in_macro)),
        (&[TooFewArguments], By(arguments::copy_without_direction)),
        (&[NoConversion], By(vectors::without_cast)),
        (&[NoOperator], By(vectors::no_operators)),
        (&[WrongReference], By(arguments::length_of_array)),
        (&[WrongArgument], By(arguments::destination)),
        (&[WrongAssignment, WrongInitialiser], By(arguments::pointer_assigned)),
        (&[WrongArgument], By(arguments::pointer_passed)),
        (&[NoFunction], By(arguments::no_call)),
        (&[UndefinedName], By(arguments::old_shuffle)),
        (&[NoOverload], By(atomics::no_version)),
        (&[NoOverload], By(arguments::overloaded)),
        (&[AmbiguousOverload], By(arguments::of_halves)),
        (&[AmbiguousOverload], By(arguments::of_numbers)),
        (
            &[NoOperator],
            Where(
                |here| here.message.quoted.first() == Some(&"=") && here.message.names("fragment"),
                "A fragment is filled by a call: wmma::fill_fragment(sum, 0.0f).",
            ),
        ),
        (&[NotIntegral], By(arguments::pointers_added)),
        (&[SharedInitialiser], By(arguments::initial_values)),
        (
            &[Expected(self::Expected::ClosingBracket)],
            Where(|here| here.before().contains(',') && here.before().contains('['), TWO_DIMENSIONS),
        ),
        (&[NotConstant, VariableLengthArray], By(arguments::size_of_array)),
        (&[GlobalAttribute], By(names::with_minus)),
        (ANY, By(spaces::wrong_space)),
        (ANY, By(headers::not_included)),
        (&[UndefinedName, NoNamespace, NoMemberOfNamespace], By(headers::library_not_included)),
        (&[DeclaredOtherwise], By(names::taken)),
        (&[UndefinedName], By(names::shared_without_type)),
        (&[UndefinedName], By(names::unknown_name)),
        (&[TypeMissing], By(names::unknown_type)),
        (&[Expected(self::Expected::Semicolon)], By(names::bare_qualifier)),
        (&[ArrowWithoutPointer], By(types::no_pointer)),
        (&[NoMember, NoMemberOfNamespace], By(types::member)),
        (ANY, By(types::three_parts)),
        (&[NotModifiable], By(types::read_only)),
        (&[NotIntegral], By(types::not_whole)),
        (&[WrongReturnType], By(spaces::lacks_semicolon)),
        (
            &[KernelReturnsValue, WrongReturnType],
            Text("A kernel is void and returns nothing: its results are written to memory, as in out[i] = …"),
        ),
        (AT_FILE_SCOPE, By(names::misspelt_word)),
        (
            &[UnclosedComment],
            Text("The comment that begins here with /* continues to the end: close it with */."),
        ),
        (&[UnclosedQuote], Text("The text that begins here has no end: a \" is missing in this line.")),
        (
            &[Expected(self::Expected::Declaration)],
            Where(
                |here| here.rest().starts_with('}'),
                "This } closes nothing: is there one too many, or a { missing above?",
            ),
        ),
        (
            AT_FILE_SCOPE,
            Where(
                |here| here.has("<<<") && here.program,
                "A launch belongs inside a host function, such as main().",
            ),
        ),
        (
            AT_FILE_SCOPE,
            Where(|here| here.has("<<<"), "The lesson launches the kernel: leave the launch out."),
        ),
        (
            AT_FILE_SCOPE,
            Where(
                |here| here.rest().starts_with(['%', '!']),
                "A line that begins with % or ! tells a notebook what to do, and is no C++: leave it out.",
            ),
        ),
        (AT_FILE_SCOPE, Text("Statements belong inside a function: is there one } too many above?")),
        (
            &[Expected(self::Expected::Statement)],
            Where(
                |here| here.word() == "else",
                "This else has no if before it: is there a ; after the if (…), or are { } missing?",
            ),
        ),
        (
            &[Expected(self::Expected::ClosingBrace)],
            Text("One { is never closed: the one below, or another after it."),
        ),
        (&[DeclaredAgain], Text("To change it, leave out the type; for another variable use another name.")),
        (&[NoEffect], Where(|here| here.has("=="), "== compares; a single = stores.")),
        (&[UnrecognizedToken], By(astray::not_cpp)),
        (
            &[LaunchOfNoKernel],
            Text(
                "What stands before <<< must be a __global__ function: a lambda is called, f(), not launched.",
            ),
        ),
        (&[NotPointer], By(types::no_elements)),
        (&[NotClass], By(types::no_members)),
        (
            &[HostFunction],
            Where(
                |here| !here.program,
                "Host functions don't run here: what a kernel calls must be marked __device__.",
            ),
        ),
        (
            &[DeviceLaunch],
            Where(
                |here| !here.program,
                "The lesson launches the kernel: leave out main() and everything that the host does.",
            ),
        ),
    ]
};

const TWO_DIMENSIONS: &str =
    "Two dimensions need two pairs of brackets, in the declaration too: [rows][columns].";
#[cfg(test)]
mod tests {
    use super::*;

    fn hint_at(place: (u32, u32), message: &str, source: &str, program: bool) -> Option<String> {
        plain(message, &Diagnostic::error("a.cu", place, message), &Source::new(source), program)
    }

    #[test]
    fn only_what_is_known_is_said() {
        let say = |message: &str, source: &str| hint_at((1, 1), message, source, false);
        assert_eq!(say("something else", "x"), None);
        assert_eq!(say("", ""), None);
        assert_eq!(
            hint_at((99, 99), "expression must be a modifiable lvalue", "x", true).map(|s| s.len() > 9),
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
        let say = |message: &str, column: u32, source: &str| hint_at((1, column), message, source, false);
        let token = |column, source| say("unrecognized token", column, source).unwrap_or_default();
        assert!(token(8, "printf(\u{201c}hi\u{201d});").contains("straight one, \""));
        assert!(token(5, "x = \u{2018}a\u{2019};").contains("straight one, '"));
        assert!(token(3, "x \u{2013}= 1;").contains("minus"));
        assert!(token(3, "gr\u{f6}\u{df}e = 1;").contains("only the letters a to z"));
        assert!(token(3, "x \u{20ac} 1;").contains("means nothing in C++"));
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
        for line in ["%%writefile add.cu", "!nvcc add.cu"] {
            assert!(say("expected a declaration", 1, line).unwrap().contains("a notebook"), "{line}");
        }
    }

    #[test]
    fn a_header_of_a_library_is_named() {
        let say = |message: &str, column: u32, source: &str| {
            hint_at((1, column), message, source, true).unwrap_or_default()
        };
        let undefined =
            |name: &str| say(&format!("identifier \"{name}\" is undefined"), 1, &format!("{name}(1);"));
        for (name, header) in [
            ("cublasCreate", "cublas_v2.h"),
            ("cublasHandle_t", "cublas_v2.h"),
            ("cudnnGetErrorString", "cudnn.h"),
            ("cufftPlan1d", "cufft.h"),
            ("CUFFT_C2C", "cufft.h"),
            ("curandCreateGenerator", "curand.h"),
            ("ncclCommInitAll", "nccl.h"),
            ("cuInit", "cuda.h"),
            ("CUdevice", "cuda.h"),
            ("cudaProfilerStart", "cuda_profiler_api.h"),
            ("checkCudaErrors", "helper_cuda.h"),
        ] {
            assert!(undefined(name).contains(&format!("#include <{header}>")), "{name}: {}", undefined(name));
        }
        let space = "name followed by \"::\" must be a class or namespace name";
        for (text, header) in [
            ("thrust::device_vector<int> v(3);", "thrust/device_vector.h"),
            ("thrust::max_element(a, b);", "thrust/device_vector.h"),
            ("cooperative_groups::this_grid();", "cooperative_groups.h"),
            ("nvcuda::wmma::mma_sync(c, a, b, c);", "mma.h"),
            ("cub::DeviceReduce::Sum();", "cub/cub.cuh"),
            ("cuda::barrier<s> b;", "cuda/barrier"),
            ("cg::this_grid();", "cooperative_groups.h"),
        ] {
            assert!(say(space, 1, text).contains(&format!("#include <{header}>")), "{text}");
        }
        assert!(
            say("namespace \"thrust\" has no member \"sort\"", 9, "thrust::sort(a, b);")
                .contains("#include <thrust/sort.h>")
        );
        assert_eq!(say(space, 1, "mine::f();"), "");
        assert!(
            follows("expected an identifier", 1, space, 1) && !follows("expected an identifier", 2, space, 1)
        );
    }

    #[test]
    fn an_atomic_function_is_told_the_types_that_it_has() {
        let say = |types: &str, call: &str| {
            let name = call.split('(').next().unwrap();
            let message = format!(
                "no instance of overloaded function \"{name}\" matches the argument list; argument types are: ({types})"
            );
            hint_at((1, 1), &message, call, true).unwrap_or_default()
        };
        assert!(say("float *, const float", "atomicMax(out, in[i]);").contains("no atomicMax() for float"));
        assert!(say("double *, double", "atomicMin(out, x);").contains("(long long *)address"));
        assert!(say("float *, float", "atomicSub(out, x);").contains("atomicAdd(address, -value)"));
        assert!(say("float *, float, float", "atomicCAS(&out[1], 0.0f, 1.0f);").contains("__float_as_int"));
        assert!(say("char *, const char", "atomicAdd(out, c);").contains("no atomicAdd() for char"));
        assert!(say("size_t *, int", "atomicAdd(&n, 1);").contains("(unsigned long long *)address"));
        assert!(say("const float *, float", "atomicAdd(in, x);").contains("is const"));
        assert!(say("float, float", "atomicAdd(out[i], x);").contains("give it an address"));
    }

    #[test]
    fn a_name_that_cuda_has_taken_is_told_so() {
        let say = |with: &str, source: &str| {
            hint_at((1, 5), &format!("declaration is incompatible with {with}"), source, true)
        };
        for (with, source) in [
            ("\"__nv_bool all(__nv_bool)\" (declared implicitly)", "int all;"),
            ("overloaded function \"exp\"", "int exp;"),
            ("overloaded function \"index\" (declared at line 17 of strings.h)", "int index;"),
            ("\"clock_t clock()\" (declared at line 5284 of __nv_nvrtc_builtin_header.h)", "int clock;"),
        ] {
            assert!(say(with, source).unwrap().contains("choose another"), "{source}");
        }
        for (with, source) in [
            ("\"void all(int)\" (declared at line 2)", "int all;\nvoid all(int);"),
            ("\"void all(int)\" (declared at line 2 of mine.h)", "int all;"),
            ("overloaded function \"exp\"", "int exp;\nvoid exp(int *) {}\nvoid exp(char *) {}"),
        ] {
            assert_eq!(say(with, source), None, "{source}");
        }
    }

    #[test]
    fn a_shared_array_without_a_type_is_told_so_once() {
        let source = "extern __shared__ tile[];\ntile[0] = time;";
        let unknown = "identifier \"tile\" is undefined";
        for place in [(1, 19), (2, 1)] {
            let said = hint_at(place, unknown, source, false).unwrap();
            assert_eq!(said, "The type of its elements is missing: extern __shared__ float tile[…];");
        }
        for more in [
            "invalid specifier for structured binding declaration",
            "missing initializer",
            "expected an identifier",
        ] {
            assert!(follows(more, 1, unknown, 1) && !follows(more, 2, unknown, 1), "{more}");
        }
    }

    #[test]
    fn an_ambiguous_call_is_told_no_function_that_does_not_exist() {
        let say = |name: &str, overloads: &[&str], given: &str| {
            let overloads: Vec<String> = overloads
                .iter()
                .map(|types| format!("function \"{name}({types})\" (declared at line 6)"))
                .collect();
            let message = format!(
                "more than one instance of overloaded function \"{name}\" matches the argument list: {} argument types \
                 are: ({given})",
                overloads.join(" ")
            );
            hint_at((1, 1), &message, &format!("{name}(n);"), true).unwrap_or_default()
        };
        assert!(say("rsqrt", &["float", "double"], "int").ends_with("say which, as in rsqrt((float)n)."));
        assert!(say("pick", &["long long", "double"], "int").ends_with("as in pick((double)n)."));
        assert!(
            say("abs", &["double", "float", "long"], "unsigned long").starts_with("Several overloads of abs")
        );
        assert_eq!(say("pick", &["Left", "Right"], "Both"), "");
    }

    #[test]
    fn a_macro_that_is_declared_is_named_with_its_line() {
        let say = |column: u32, line: &str| {
            hint_at((2, column), "expected a \")\"", &format!("#define N 1024 // all\n{line}\n"), true)
        };
        let parameter = say(12, "void f(int N);").unwrap();
        assert!(
            parameter.starts_with("`N` is a macro: since the #define of line 1, the compiler reads 1024 wh")
        );
        assert_eq!(say(12, "void f(int M);"), None);
        assert_eq!(say(8, "f(a[1] N);"), None);
        let include = |line: &str| hint_at((1, 1), "include is not a template", line, true);
        assert_eq!(
            include("include <cstdio>").as_deref(),
            Some("A # is missing before include: #include <cstdio>")
        );
        let declared = "this declaration has no storage class or type specifier";
        let own = hint_at((1, 1), declared, "include \"mine.h\"", true);
        assert_eq!(own.as_deref(), Some("A # is missing before include: #include \"mine.h\""));
    }

    #[test]
    fn an_allocation_is_told_what_it_lacks() {
        let say = |line: &str| {
            let message = "no instance of overloaded function \"cudaMalloc\" matches the argument list";
            let column = line.find("CHECK").or(line.find("cudaMalloc")).map_or(1, |at| at as u32 + 1);
            hint_at((1, column), message, &format!("{line}\n#define CHECK(x) x\n"), true).unwrap()
        };
        assert!(say("cudaMalloc(a, 4); cudaMalloc(&b, 4);").ends_with("cudaMalloc(&a, …)."));
        assert!(
            say("CHECK(cudaMalloc((void *)&d_a, bytes));")
                .contains("or cast to (void **): cudaMalloc(&d_a, …).")
        );
        assert!(say("CHECK(cudaMalloc(&d_b, f(1, 2)));").starts_with("`d_b` is not a pointer"));
        assert!(say("cudaMalloc(p[i], 4);").ends_with("cudaMalloc(&d, …)."));
        let message =
            "argument of type \"cudaStream_t\" is incompatible with parameter of type \"cudaStream_t *\"";
        let of_macro =
            |line: &str| hint_at((2, 1), message, &format!("#define CHECK(x) x\n{line}\n"), true).unwrap();
        assert!(of_macro("CHECK(cudaStreamCreate(stream));").ends_with(": &stream."));
        assert!(of_macro("CHECK(cudaStreamCreate(streams[job]));").ends_with("an address, with &."));
    }

    #[test]
    fn what_cuda_may_have_and_the_tool_lacks_is_no_mistake() {
        let say = |name: &str| {
            let message = format!("identifier \"{name}\" is undefined");
            hint_at((1, 1), &message, &format!("{name}(1);"), true)
        };
        for name in ["cuMemGetAddressRange", "cublasDgetrfBatched", "cusolverDnDgetrf", "ncclGatherAll"] {
            assert!(say(name).unwrap().ends_with("the program may well be right."), "{name}");
        }
        for name in ["rindex", "custom", "cudax", "cu"] {
            assert_eq!(say(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_lost_in_a_call_is_said() {
        let say = |message: &str, column: u32, source: &str| hint_at((1, column), message, source, true);
        let launch = say(
            "too many arguments in invocation of macro \"CHECK\"",
            26,
            "CHECK(scale<<<blocks, threads>>>(d_in, n));",
        );
        assert!(launch.unwrap().starts_with("A launch returns nothing that CHECK could look at"));
        let copy = |line: &str| say("too few arguments in function call", 1, line);
        let direction = "CHECK(cudaMemcpy(d_in, f(a, 1), bytes));";
        assert!(copy(direction).unwrap().contains("cudaMemcpyHostToDevice"));
        assert_eq!(copy("CHECK(cudaMemcpy(d_in, in, bytes, kind)); g(1);"), None);
        let index = |line: &str| say("expression has no effect", 5, line).unwrap_or_default();
        assert!(
            index("out[row, col] = 1;").starts_with("A comma drops what is before it: this is out[col].")
        );
        assert_eq!(index("a = b;"), "");
    }

    #[test]
    fn four_values_at_a_time_take_a_cast_and_their_members() {
        let say =
            |message: &str, column: u32, source: &str| hint_at((1, column), message, source, false).unwrap();
        let read = say(
            "no suitable constructor exists to convert from \"const float\" to \"float4\"",
            15,
            "float4 from = x[4 * q];",
        );
        assert!(read.contains("reinterpret_cast<const float4 *>(x)[q]"), "{read}");
        let stored =
            say("no suitable conversion function from \"float4\" to \"float\" exists", 12, "y[4 * q] = sum;");
        assert!(stored.contains("reinterpret_cast<float4 *>(y)[q]"), "{stored}");
        let message = "no operator \"*\" matches these operands; operand types are: float * const float4";
        let members = say(message, 7, "y[q] = a * x[q];");
        assert!(members.contains("members x, y, z and w"), "{members}");
        let assigned = "no operator \"=\" matches these operands; operand types are: float4 = const float";
        let assigned = hint_at((1, 6), assigned, "y[0] = x;", false).unwrap_or_default();
        assert!(!assigned.contains("no such operator"), "{assigned}");
    }

    #[test]
    fn what_follows_from_a_message_is_known() {
        let in_macro = "too many arguments in invocation of macro \"CHECK\"";
        assert!(follows("expected a \">>>\"", 3, in_macro, 3));
        assert!(follows("too few arguments in function call", 3, in_macro, 3));
        assert!(!follows("too few arguments in function call", 4, in_macro, 3));
        let unknown = "identifier \"shared\" is undefined";
        assert!(follows("expected a \";\"", 3, unknown, 3));
        assert!(!follows("expected a \";\"", 4, unknown, 3));
        assert!(follows("expected a statement", 6, "expected a \")\"", 3));
        assert!(!follows("expected a \";\"", 6, "expected a \";\"", 3));
        assert!(!follows("identifier \"x\" is undefined", 3, unknown, 3));
        assert!(follows("expression must have a constant value", 3, unknown, 3));
        assert!(!follows("expression must have a constant value", 4, unknown, 3));
        assert!(follows("unrecognized token", 3, "unrecognized token", 3));
        assert!(follows("expected an expression", 3, "unrecognized token", 3));
        assert!(!follows("unrecognized token", 4, "unrecognized token", 3));
    }
}
