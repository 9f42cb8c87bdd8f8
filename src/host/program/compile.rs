//! Compiles a source into a program that can be run.

use super::called_kernels::called_kernels;
use super::compiled_program::{HostFunction, Program};
use super::handlers;
use super::host_members::host_members;
use super::kernels_alone::{kernels_alone, variables_alone};
use super::lacking_names;
use super::linked::linked;
use super::objects;
use super::rewriting::{RewrittenSources, UnsupportedConstruct};
use super::runtime::symbol;
use super::short_calls::short_calls;
use super::source::Source;
use compiler::{
    CompileError, Compiled, Compiler, Diagnostic, MessageKind, Request, Severity, Subject, active_masks,
    host_functors, host_variables, launched_functions, misplaced_calls, open_arrays,
};
use cpp::Include;
use sim::{LoadError, Module, SourceLocation};
use std::sync::Arc;

/// Why there is no program.
#[derive(Debug)]
pub enum CompileFailure {
    /// The compiler rejected the program, or could not be used.
    Compile(CompileError),
    /// The program uses something that the simulator does not support.
    Unsupported { what: String, line: Option<SourceLocation> },
}

/// Most rounds of compiling and rewriting launches that the compiler refuses: each round reports only one
/// function's launches.
const ROUNDS: usize = 24;

/// The purpose of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Run,
    /// Debugging: without optimisation, with symbol names, and without register counts or machine code.
    Debug,
}

/// Compiles a whole program.
///
/// # Errors
///
/// The compiler rejects the program or can't be used, or the program needs something that is not supported.
pub fn compile(compiler: &Compiler, request: &Request) -> Result<Program, CompileFailure> {
    compile_for(Purpose::Run, compiler, request)
}

/// As [`compile`], but builds kernels and host code for the debugger.
///
/// # Errors
///
/// As for [`compile`].
pub fn compile_for_debugging(compiler: &Compiler, request: &Request) -> Result<Program, CompileFailure> {
    let options = [request.options, &["--device-debug"]].concat();
    compile_for(Purpose::Debug, compiler, &Request { options: &options, ..*request })
}

fn compile_for(purpose: Purpose, compiler: &Compiler, request: &Request) -> Result<Program, CompileFailure> {
    let mut texts = RewrittenSources::of(request, true);
    let mut program = compile_texts(purpose, compiler, request, &mut texts);
    // The compiler may refuse in a lambda what it accepts elsewhere, and what is wrong is told of what was written.
    let is_refused = matches!(
        program,
        Err(CompileFailure::Compile(CompileError::Rejected(_)) | CompileFailure::Unsupported { .. })
    );
    if is_refused && texts.runs_handlers {
        texts = RewrittenSources::of(request, false);
        program = compile_texts(purpose, compiler, request, &mut texts);
    }
    let program = program?;
    // The compiler may refuse what the edits result in, and the program is right without them.
    let kept = texts.keep_divisions(&program.diagnostics);
    let again = kept.then(|| compile_texts(purpose, compiler, request, &mut texts));
    Ok(again.and_then(Result::ok).unwrap_or(program))
}

/// Compiles a program's texts, and rewrites them where the compiler refuses them.
fn compile_texts(
    purpose: Purpose,
    compiler: &Compiler,
    request: &Request,
    texts: &mut RewrittenSources,
) -> Result<Program, CompileFailure> {
    let Request { source, file_name, .. } = *request;
    let mut options = request.options.to_vec();
    if texts.include_any(&HEADERS_OF_CPP20) {
        options.push(CPP20);
    }
    if texts.runs_handlers {
        options.push(handlers::OPTION);
    }
    for _ in 0..ROUNDS {
        let headers = texts.headers();
        let now = Request {
            source: &texts.source,
            headers: &headers,
            options: &options,
            program: true,
            ..*request
        };
        let mut messages = match compile_text(purpose, compiler, source, &now) {
            Err(CompileFailure::Compile(CompileError::Rejected(messages))) => messages,
            other => return other,
        };
        // A host compiler accepts designated initialisers in C++17, too. The rest needs an option of nvcc's.
        let needs_cpp20 = |said: &Diagnostic| names_designator(&now, said) || names_word_of_cpp20(said);
        if !options.contains(&CPP20) && messages.iter().any(needs_cpp20) {
            options.push(CPP20);
            continue;
        }
        if let Some(said) = messages.iter().find(|said| names_statement_expression(&now, said)) {
            let (what, file) = ("a statement expression of GNU C: ({ … })", said.file.clone());
            return Err(UnsupportedConstruct { what, file, line: said.line }.into());
        }
        if let Some((said, what)) = lacking_names::first(&messages) {
            return Err(unsupported_at(what, &said.file, said.line));
        }
        match texts.rewrite(&mut messages) {
            Ok(true) => continue,
            Ok(false) => {}
            Err(lacking) => return Err(lacking.into()),
        }
        let refused = objects::refused(&messages);
        if refused.is_empty() {
            return Err(match objects::not_callable(&messages) {
                Some(line) => launch_lacking(file_name, Some(line)),
                None => CompileFailure::Compile(CompileError::Rejected(messages)),
            });
        }
        texts.source = objects::launched_by_calls(&texts.source, &refused)
            .map_err(|line| launch_lacking(file_name, Some(line)))?
            .into();
    }
    Err(launch_lacking(file_name, None))
}

const CPP20: &str = "-std=c++20";

/// Headers that mean C++20 where a program includes them.
const HEADERS_OF_CPP20: [&str; 4] = ["bit", "concepts", "source_location", "span"];

/// Returns whether a message does not know a keyword of C++20.
fn names_word_of_cpp20(said: &Diagnostic) -> bool {
    const WORDS: [&str; 4] = ["concept", "consteval", "constinit", "requires"];
    said.kind() == MessageKind::UndefinedName && said.names().any(|name| WORDS.contains(&name))
}

/// Returns whether a message refuses the designator of an initialiser, `.name` behind an opening brace or a comma.
fn names_designator(request: &Request, said: &Diagnostic) -> bool {
    let Some((before, after)) = around(request, said) else { return false };
    let mut after = after.chars();
    let begins = after.next() == Some('.') && after.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    begins && (before.trim().is_empty() || before.trim_end().ends_with(['{', ',']))
}

/// Returns whether a message refuses a statement expression, a brace behind an opening parenthesis, there or in a macro
/// that is used there.
fn names_statement_expression(request: &Request, said: &Diagnostic) -> bool {
    let texts = || request.headers.iter().map(|(_, text)| *text).chain([request.source]);
    let is_defined = |name: &str| {
        let defines = |text: &str| {
            let source = cpp::Source::new(text);
            let mut named = source.definitions().filter(|its| its.takes_arguments && its.name == name);
            named.any(|its| {
                let tokens = cpp::Tokens::new(&text[its.text]);
                tokens.all(b"{").any(|at| tokens.before(at, 1) == b"(")
            })
        };
        texts().any(defines)
    };
    matches!(said.kind(), MessageKind::Expected(_))
        && around(request, said).is_some_and(|(before, after)| {
            let is_written = after.starts_with('{') && before.trim_end().ends_with('(');
            is_written
                || cpp::names(after).next().is_some_and(|name| after.starts_with(name) && is_defined(name))
        })
}

/// Returns the line that an error names, up to the place in it and from there on.
fn around<'a>(request: &Request<'a>, said: &Diagnostic) -> Option<(&'a str, &'a str)> {
    let mut headers = request.headers.iter().filter(|(name, _)| *name == said.file).map(|(_, text)| *text);
    let text = if said.file == request.file_name { Some(request.source) } else { headers.next() };
    let line = text?.lines().nth(said.line.checked_sub(1)? as usize)?;
    let at = line.char_indices().nth(said.column.checked_sub(1)? as usize)?.0;
    (said.severity == Severity::Error).then(|| line.split_at(at))
}

impl From<UnsupportedConstruct> for CompileFailure {
    fn from(its: UnsupportedConstruct) -> CompileFailure {
        unsupported_at(its.what, &its.file, its.line)
    }
}

/// Returns the refusal of what a line of a file uses.
fn unsupported_at(what: impl Into<String>, file: &str, line: u32) -> CompileFailure {
    let line = SourceLocation { file: file.into(), line, column: 0 };
    CompileFailure::Unsupported { what: what.into(), line: Some(line) }
}

/// Returns the refusal of a launch that cannot be rewritten into a form that the compiler accepts.
fn launch_lacking(file_name: &str, line: Option<u32>) -> CompileFailure {
    let line = line.map(|line| SourceLocation { file: file_name.into(), line, column: 0 });
    CompileFailure::Unsupported { what: objects::UNSUPPORTED.into(), line }
}

/// Returns whether the compiler refused a program without naming a line.
fn names_no_place(error: &CompileError) -> bool {
    let CompileError::Rejected(said) = error else { return false };
    said.iter().filter(|said| said.severity == Severity::Error).all(|said| said.line == 0)
}

/// Compiles the text in `request`: `source` itself, or `source` with some launches and declarations
/// rewritten.
fn compile_text(
    purpose: Purpose,
    compiler: &Compiler,
    source: &str,
    request: &Request,
) -> Result<Program, CompileFailure> {
    let file_name = request.file_name;
    let made = match purpose {
        Purpose::Run => compile_separately(compiler, request),
        Purpose::Debug => compiler.compile(request).map(|whole| CompilerOutput::of_one(whole, None)),
    };
    let CompilerOutput { ptx, said, kernels, alone } = made.map_err(|error| {
        let lacks = lacking(&error).or_else(|| newer_cub(compiler, source, &error, request));
        lacks.unwrap_or_else(|| {
            let launched =
                if names_no_place(&error) { launched_functions(source, file_name) } else { Vec::new() };
            CompileFailure::Compile(if launched.is_empty() {
                error
            } else {
                CompileError::Rejected(launched)
            })
        })
    })?;
    let misplaced = misplaced_calls(source, file_name);
    if !misplaced.is_empty() {
        return Err(CompileFailure::Compile(CompileError::Rejected(misplaced)));
    }
    // The assembler's verdict on inline PTX counts: no GPU would run what it refuses, even if the simulator
    // would.
    let refused = compiler.refused_asm(request, &ptx);
    if let Some(said) = refused.map_err(|error| CompileFailure::Compile(CompileError::Environment(error)))? {
        return Err(CompileFailure::Compile(CompileError::Rejected(said)));
    }
    let early_returns = cpp::Source::new(source).early_returns();
    let text = source;
    let source = Source::new(file_name, source).with_headers(request.headers);
    let tree = ptx::parse(&ptx).map_err(|error| unsupported_ptx(&error, file_name))?;
    let own_files = source.own_files();
    let module = match purpose {
        Purpose::Run => Module::load_of(&tree, &own_files),
        Purpose::Debug => Module::load_for_debugging(&tree, &own_files),
    };
    let module = module.map_err(|error| match error {
        LoadError::Unsupported { what, line } => CompileFailure::Unsupported { what, line },
        LoadError::Parse(error) => unsupported_ptx(&error, file_name),
    })?;
    let functions = HostFunction::all(&tree);
    let short_calls = short_calls(&said, text, file_name);
    let module = module.with_early_returns(early_returns).with_short_calls(short_calls);
    let called = called_kernels(&module, &ptx, file_name);
    let members = host_members(&tree, text, file_name);
    let names = module.kernels();
    let functors = host_functors(text, file_name, names.iter().map(String::as_str));
    let variables = host_variables(|| alone.as_deref(), text, file_name);
    if let Some(refused) =
        [called, functors, members, variables].into_iter().find(|refused| !refused.is_empty())
    {
        return Err(CompileFailure::Compile(CompileError::Rejected(refused)));
    }
    let Compiled { resources, mut cubin, .. } = kernels.unwrap_or_default();
    if cubin.is_empty() {
        // Without kernels, a GPU needs the variables that are asked for by their symbols.
        let takes_symbol = |name: &str| symbol::CALLS.iter().any(|row| row.name == name);
        let asks = names.is_empty() && tree.functions.iter().any(|its| takes_symbol(its.name));
        let alone = alone.or_else(|| asks.then(|| variables_alone(&ptx)));
        cubin = alone.map_or(Vec::new(), |ptx| [ptx.as_bytes(), b"\0"].concat());
    }
    Ok(Program {
        module: Arc::new(module),
        ptx: ptx.into(),
        source,
        functions,
        registers: resources.into_iter().map(|kernel| (kernel.name, kernel.registers)).collect(),
        cubin: cubin.into(),
        diagnostics: said
            .into_iter()
            .chain(active_masks(text, file_name))
            .chain(open_arrays(text, file_name))
            .collect(),
    })
}

/// The output of the compiler for a program.
struct CompilerOutput {
    ptx: String,
    said: Vec<Diagnostic>,
    /// The compiled kernels with their machine code, if that could be made.
    kernels: Option<Compiled>,
    /// The PTX of the kernels and of what they reach, without host code; `None` if there are no kernels or
    /// they call host code.
    alone: Option<String>,
}

impl CompilerOutput {
    /// Takes the output of a single compilation of host code and kernels.
    fn of_one(whole: Compiled, kernels: Option<Compiled>) -> CompilerOutput {
        let alone = kernels_alone(&whole.ptx);
        CompilerOutput { ptx: whole.ptx, said: whole.diagnostics, kernels, alone }
    }
}

/// Compiles host code and kernels separately, in parallel if the compiler can, and links them into one
/// module.
///
/// Falls back to a single compilation of both where the separate one fails for either part. The single
/// compilation accepts device code that is wrong only where `__CUDA_ARCH__` is not defined.
fn compile_separately(compiler: &Compiler, request: &Request) -> Result<CompilerOutput, CompileError> {
    // Errors in the kernels are reported by the single compilation, which follows if this one fails.
    let of_kernels = |host: Option<&str>| compiler.machine_code(request, || kernels_alone(host?)).ok();
    let (host, early) = std::thread::scope(|scope| {
        // Kernels in the source are visible in its text; those that come from headers are only known after
        // the compilation.
        let at_once = compiler.is_parallel() && cpp::names(request.source).any(|name| name == "__global__");
        let early = at_once.then(|| scope.spawn(|| of_kernels(None)));
        let host = compiler.compile(&Request { host: true, ..*request });
        (host, early.map(|early| early.join().unwrap_or_default()))
    });
    let refused = match host {
        Ok(host) if !has_kernels(&host.ptx) => {
            // Branches for a GPU must compile as well.
            if depends_on_architecture(request) {
                compiler.compile(request)?;
            }
            return Ok(CompilerOutput { ptx: host.ptx, said: host.diagnostics, kernels: None, alone: None });
        }
        Ok(host) => {
            let kernels = early.unwrap_or_else(|| of_kernels(Some(&host.ptx)));
            let with_kernels = |alone: Option<String>| Some((linked(&host.ptx, alone.as_ref()?)?, alone));
            let alone = match &kernels {
                Some(kernels) => kernels_alone(&kernels.ptx),
                // There is no machine code if a variable refers to functions of the host, such as fread().
                None => match compiler.compile(&Request { kernels_only: true, ..*request }) {
                    Ok(kernels) => kernels_alone(&kernels.ptx),
                    Err(CompileError::Rejected(_)) => None,
                    Err(other) => return Err(other),
                },
            };
            if let Some((ptx, alone)) = with_kernels(alone) {
                return Ok(CompilerOutput { ptx, said: host.diagnostics, kernels, alone });
            }
            // Kernels may reach functions of the host.
            let whole = CompilerOutput::of_one(compiler.compile(request)?, kernels);
            return Ok(match with_kernels(whole.alone.clone()) {
                Some((ptx, _)) => CompilerOutput { ptx, said: host.diagnostics, ..whole },
                None => whole,
            });
        }
        Err(CompileError::Rejected(said)) => said,
        Err(other) => return Err(other),
    };
    // What the host compilation refuses the single one would refuse as well, except in branches on
    // `__CUDA_ARCH__` and for functions that redefine those of the library.
    let is_defined_again = |said: &Diagnostic| said.kind() == MessageKind::DefinedAgain;
    if !depends_on_architecture(request) && !refused.iter().any(is_defined_again) {
        return Err(CompileError::Rejected(refused));
    }
    let whole = compiler.compile(request)?;
    if depends_on_architecture(request) && refused.iter().any(|said| is_of_host(said, request)) {
        return Err(CompileError::Rejected(refused));
    }
    let kernels = match early {
        None if has_kernels(&whole.ptx) => of_kernels(Some(&whole.ptx)),
        early => early.flatten(),
    };
    Ok(CompilerOutput::of_one(whole, kernels))
}

/// Returns whether the text may have different branches for GPU and host.
fn depends_on_architecture(request: &Request) -> bool {
    let headers = request.headers.iter().map(|(_, text)| *text);
    headers.chain([request.source]).any(|text| cpp::names(text).any(|name| name == "__CUDA_ARCH__"))
}

/// Returns whether a diagnostic is an error outside device code.
fn is_of_host(said: &Diagnostic, request: &Request) -> bool {
    let source = cpp::Source::new(request.source);
    let holds = |function: &cpp::Function| {
        matches!(function.space, cpp::Space::Kernel | cpp::Space::Device)
            && source.body_lines(function).is_some_and(|lines| lines.contains(&said.line))
    };
    let in_device_code = || source.functions().is_none_or(|functions| functions.iter().any(holds));
    said.severity == Severity::Error && (said.file != request.file_name || !in_device_code())
}

fn has_kernels(ptx: &str) -> bool {
    ptx.contains(".entry ")
}

/// Returns what the tool does not support, if one of its own headers refused the program.
fn lacking(error: &CompileError) -> Option<CompileFailure> {
    let CompileError::Rejected(messages) = error else { return None };
    messages.iter().find_map(|message| {
        let Some(Subject::HeaderUnavailable { header, why }) = &message.subject else { return None };
        Some(unsupported_at(format!("<{header}>: {why}"), &message.file, message.line))
    })
}

/// Reports PTX that the parser does not accept, at the line of CUDA that it was compiled from.
fn unsupported_ptx(error: &ptx::ParseError, file_name: &str) -> CompileFailure {
    let place =
        |at: ptx::Location| SourceLocation { file: file_name.into(), line: at.line, column: at.column };
    CompileFailure::Unsupported { what: error.to_string(), line: error.location.map(place) }
}

/// The unsupported feature reported for a CUB newer than the one that the tool's own headers replace.
const NEWER_CUB: &str = "CUB of CUDA 13 and later (that of CUDA 12 works: set GPULEARN_NVRTC to another compiler, whose headers are then used)";

/// Returns the refusal of a program that includes CUB, directly or through one of its own headers, and was
/// rejected by headers that are too new.
fn newer_cub(
    compiler: &Compiler,
    source: &str,
    error: &CompileError,
    request: &Request,
) -> Option<CompileFailure> {
    let rejected = matches!(error, CompileError::Rejected(_));
    let line = includes_newer_cub(compiler, source, request).filter(|_| rejected)?;
    Some(CompileFailure::Unsupported { what: NEWER_CUB.into(), line: Some(line) })
}

/// Returns where a program, or one of its own headers, includes CUB if the compiler's CUB is newer than the one that the
/// tool's own headers replace; `None` otherwise.
pub fn includes_newer_cub(compiler: &Compiler, source: &str, request: &Request) -> Option<SourceLocation> {
    const NEWEST: u32 = 12;
    if compiler.version().0 <= NEWEST {
        return None;
    }
    let is_of_cub = |its: &Include| !its.is_quoted && its.header.starts_with("cub/");
    let texts = [(request.file_name, source)].into_iter().chain(request.headers.iter().copied());
    let (file, line) = texts.into_iter().find_map(|(file, text)| {
        let (line, _) = Include::all(text).find(|(_, its)| is_of_cub(its))?;
        Some((file, line))
    })?;
    Some(SourceLocation { file: file.into(), line, column: 0 })
}
