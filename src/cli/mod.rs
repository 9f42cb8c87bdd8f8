//! The command line: one module per command, and what they share: global options, exit codes and error handling.
//!
//! Exit codes: 0 passed or answered, 1 the learner's work fails, 2 wrong usage, 3 there is no verdict: a problem of the
//! environment (compiler, files, terminal), a missing feature of the simulator, or a limit that was reached. `run` ends
//! with its program's own exit code if the program ended by itself, but with 1 if that is 0, or if a limit ended the
//! program, and there are findings (memory that was merely never freed only counts with `--strict`).

mod ask;
mod author;
mod batch;
mod bench;
mod book;
mod check;
mod claims;
mod completions;
mod config;
mod container;
mod context;
mod course;
mod debug;
mod doctor;
mod explain;
mod find_lesson;
mod git;
mod grade;
mod graphics;
mod hint;
mod init;
mod inspect;
mod judging;
mod list;
mod lsp;
mod model;
mod next;
mod output;
mod output_files;
mod own_headers;
mod page;
mod poller;
mod read;
mod reset;
mod run;
mod selftest;
mod solution;
mod source_text;
mod stats;
mod submit;
mod target;
mod terminal;
mod view;
mod watch;
mod watchdog;

use clap::builder::EnumValueParser;
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use config::Config;
use context::Context;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXIT_CODES: &str = "Exit codes: 0 passed or answered, 1 the work fails, 2 wrong usage, 3 something is missing on \
    this machine or in the simulator, or a limit was reached. `run` exits with its program's own code, or with 1 if \
    that is 0, or if a limit ended the program, and a defect was found.";

/// Learn CUDA by solving it: real CUDA C++, checked on any machine.
///
/// Without a command, watches the lesson's file and checks it on every save.
#[derive(Parser)]
#[command(name = "gpulearn", version, max_term_width = 80, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options for all commands")]
struct Global {
    /// Never use the network
    #[arg(long, global = true)]
    offline: bool,
    /// Of the commands that answer in more than one.
    #[arg(skip = Format::Human)]
    format: Format,
    /// Where kernels run: auto uses a GPU if there is one; gpu requires one
    #[arg(long, global = true, value_name = "BACKEND", default_value = "auto", hide_default_value = true)]
    backend: Backend,
    /// Seed of the random inputs: the same seed gives the same verdict
    #[arg(long, global = true, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Use the lessons of a folder with lessons/, kernels/ and solutions/ instead of the built-in ones (or set
    /// GPULEARN_LESSONS); the clone that this program was built from uses its own
    #[arg(long, global = true, value_name = "DIR")]
    lessons: Option<PathBuf>,
    /// Print no colours (also with NO_COLOR set, or if the output is not a terminal)
    #[arg(long, global = true)]
    no_color: bool,
    /// Show everything, not only what fits on a screen
    #[arg(long, short, global = true)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Backend {
    Sim,
    Gpu,
    Auto,
}

impl Backend {
    /// Returns the option's value.
    fn name(self) -> &'static str {
        match self {
            Backend::Sim => "sim",
            Backend::Gpu => "gpu",
            Backend::Auto => "auto",
        }
    }
}

#[derive(Subcommand)]
enum Command {
    /// Watch a lesson's file and check it on every save
    Watch(watch::Args),
    /// Show the next lesson to do
    Next(next::Args),
    /// Read a lesson
    Read(read::Args),
    /// Check your file: compile it, run it, judge it
    Check(check::Args),
    /// Show the next hint (there are three)
    Hint(hint::Args),
    /// List the lessons and which are passed
    List(list::Args),
    /// Show your progress in the course, in figures
    Stats(stats::Args),
    /// Restore a lesson's starter; your file is kept as a backup
    Reset(reset::Args),
    /// Show our solution, once yours passes
    Solution(solution::Args),
    /// Run a whole CUDA program, on this machine's GPUs or on modelled ones
    Run(run::Args),
    /// Show what a file compiles to: registers, occupancy, instructions
    Inspect(inspect::Args),
    /// Check lessons and write their files to an archive to hand in
    Submit(submit::Args),
    /// Grade a class: judge every student's files, write marks and reports for learning platforms
    Grade(grade::Args),
    #[command(hide = true)]
    GradeJudge(grade::JudgeArgs),
    /// Time a lesson's kernels, on a GPU or on a modelled one
    Bench(bench::Args),
    /// Draw a run of a lesson's file as one HTML page, and open it in the browser
    View(view::Args),
    /// Step through a block of a lesson's kernel, forwards and backwards
    Debug(debug::Args),
    /// Write the lessons as a static site
    Book(book::Args),
    /// Create a workspace: kernels to edit, texts to read, editor settings
    Init(init::Args),
    /// Show what this machine has and lacks, and what to do about it
    Doctor,
    /// Run a language server on standard input and output: shows an editor what the last check found, at its lines
    Lsp,
    /// Show what a notebook claims, and what the lessons' own code says about it
    Claims(claims::Args),
    /// Explain a finding such as R001
    Explain(explain::Args),
    /// Verify that lessons judge correctly on this machine
    Selftest(selftest::Args),
    /// Add and manage courses by others, whose lessons are listed with ours
    Course(course::Args),
    /// Create, import and verify lessons
    Author(author::Args),
    /// Print a shell script that completes commands and lessons
    Completions(completions::CompletionsArgs),
    /// Write the manual pages
    Man(completions::ManArgs),
}

/// How a command ended that could answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Pass,
    /// The learner's work fails.
    Fails,
    /// No verdict: the simulator or this machine lacks something, or a limit was reached.
    Unavailable,
    /// The exit code of a program that was run.
    Program(u8),
}

impl Exit {
    /// Returns how a command ends for which a file would have to run that does not.
    fn of(failure: &judge::Failure) -> Exit {
        match failure {
            judge::Failure::Unsupported { .. } | judge::Failure::Limit(_) => Exit::Unavailable,
            _ => Exit::Fails,
        }
    }

    fn code(self) -> u8 {
        match self {
            Exit::Pass => 0,
            Exit::Fails => 1,
            Exit::Unavailable => 3,
            Exit::Program(code) => code,
        }
    }
}

/// Why a command could not answer. The message says what to do next, and is safe to print.
#[derive(Debug)]
struct CommandError {
    exit: u8,
    message: String,
}

impl CommandError {
    fn usage(message: impl Into<String>) -> CommandError {
        CommandError { exit: 2, message: message.into() }
    }

    fn environment(message: impl Into<String>) -> CommandError {
        CommandError { exit: 3, message: message.into() }
    }
}

/// Errors of lower layers are the environment's fault, since usage is checked in this module.
impl From<anyhow::Error> for CommandError {
    fn from(error: anyhow::Error) -> CommandError {
        CommandError::environment(report::escape_lines(&report::error(error.chain())))
    }
}

/// Formats a path for display.
fn shown_path(path: &Path) -> String {
    report::escape(&path.display().to_string())
}

/// The result of a step of a command.
type Result<T, E = CommandError> = std::result::Result<T, E>;

type Answer = Result<Exit>;

/// The commands that can also answer in JSON.
const WITH_JSON: [&str; 7] = ["bench", "check", "claims", "doctor", "inspect", "list", "run"];

/// Builds the command line for parsing and documentation: help for every command lists the exit codes, and
/// commands with several formats get an option for it.
fn command() -> clap::Command {
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(EnumValueParser::<Format>::new())
        .default_value("human")
        .hide_default_value(true)
        .help("Format of the answer");
    Cli::command().mut_subcommands(|command| {
        let has_json = WITH_JSON.contains(&command.get_name());
        let command = command.after_help(EXIT_CODES);
        if has_json { command.arg(&format) } else { command }
    })
}

/// Parses the arguments, including the format option of the commands that have one.
fn parsed(mut matches: ArgMatches) -> Result<Cli, clap::Error> {
    let of_command = matches.subcommand().filter(|(name, _)| WITH_JSON.contains(name));
    let format = of_command.and_then(|(_, its)| its.get_one::<Format>("format").copied());
    let mut cli = Cli::from_arg_matches_mut(&mut matches)?;
    cli.global.format = format.unwrap_or(Format::Human);
    Ok(cli)
}

/// Parses the arguments, runs the command and prints its error.
pub fn main() -> ExitCode {
    crate::machine_memory::keep_freed();
    let config = Config::read();
    let choices = config.as_ref().ok().cloned().unwrap_or_default();
    let cli = match choices.choices_of(command()).try_get_matches().and_then(parsed) {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() && asked_for_json(std::env::args_os().skip(1)) {
                let text = report::escape_lines(&error.render().to_string());
                let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
                let mut out = output::Output::default();
                out.print(&report::json::to_line(&report::json::ErrorReport::new(message, 2)));
                return ExitCode::from(2);
            }
            // Help and version are not errors, and go to standard output. A closed pipe is not an error either.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let json = cli.global.format == Format::Json;
    let mut context = Context::new(cli.global, choices);
    let answer = config.and_then(|_| run(cli.command, &mut context)).and_then(|exit| {
        context.out.finish()?;
        Ok(exit)
    });
    match answer {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(command_error) => {
            if json {
                let report = report::json::ErrorReport::new(&command_error.message, command_error.exit);
                context.out.print(&report::json::to_line(&report));
                let _ = context.out.finish();
            } else {
                context.say(&format!("error: {}", command_error.message));
            }
            ExitCode::from(command_error.exit)
        }
    }
}

/// Returns whether `--format json` is among arguments that failed to parse.
fn asked_for_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let arguments: Vec<OsString> = arguments.take_while(|argument| argument != "--").collect();
    arguments.iter().any(|argument| argument == "--format=json")
        || arguments.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
}

fn run(command: Option<Command>, context: &mut Context) -> Answer {
    let Some(command) = command else { return watch::run(watch::Args::default(), context) };
    match command {
        Command::Watch(args) => watch::run(args, context),
        Command::Next(args) => next::run(args, context),
        Command::Read(args) => read::run(args, context),
        Command::Check(args) => check::run(args, context),
        Command::Hint(args) => hint::run(args, context),
        Command::List(args) => list::run(args, context),
        Command::Reset(args) => reset::run(args, context),
        Command::Solution(args) => solution::run(args, context),
        Command::Run(args) => run::run(args, context),
        Command::Inspect(args) => inspect::run(args, context),
        Command::Submit(args) => submit::run(args, context),
        Command::Grade(args) => grade::run(args, context),
        Command::GradeJudge(args) => grade::judge(&args, context),
        Command::Bench(args) => bench::run(args, context),
        Command::Stats(args) => stats::run(args, context),
        Command::View(args) => view::run(args, context),
        Command::Debug(args) => debug::run(args, context),
        Command::Book(args) => book::run(args, context),
        Command::Selftest(args) => selftest::run(args, context),
        Command::Init(args) => init::run(args, context),
        Command::Doctor => doctor::run(context),
        Command::Lsp => lsp::run(context),
        Command::Claims(args) => claims::run(args, context),
        Command::Explain(args) => explain::run(args, context),
        Command::Course(args) => course::run(args, context),
        Command::Author(args) => author::run(args, context),
        Command::Completions(args) => completions::completions(args, context),
        Command::Man(args) => completions::man(args, context),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// clap looks arguments up by name, so that a command's own argument would be read as the option for all commands.
    #[test]
    fn no_argument_of_a_command_is_called_like_an_option_for_all() {
        fn of(command: &clap::Command, taken: &[&str]) {
            for argument in command.get_arguments() {
                let (id, name) = (argument.get_id().as_str(), command.get_name());
                assert!(!taken.contains(&id), "{name}: {id}");
            }
            command.get_subcommands().for_each(|command| of(command, taken));
        }
        let cli = command();
        cli.clone().debug_assert();
        let for_all = cli.get_arguments().filter(|argument| argument.is_global_set());
        let taken: Vec<&str> = for_all.map(|argument| argument.get_id().as_str()).collect();
        assert!(taken.contains(&"lessons"), "{taken:?}");
        cli.get_subcommands().for_each(|command| of(command, &taken));
    }
}
