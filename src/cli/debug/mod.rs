//! `debug`: steps through a recorded block of a kernel, forward and back.

mod command;
mod own_program;
mod recorded;
mod show;

use super::judging::open;
use super::own_headers::OwnArgs;
use super::source_text::name_of;
use super::target;
use super::{Answer, CommandError, Context, Exit, model};
use ::debug::Session;
use command::{Command, Direction, Info};
pub use own_program::{ModelledRun, OwnProgram};
pub use recorded::{LessonFile, RecordChoice, RecordedBlock, record};
use report::escape;
use rustyline::error::ReadlineError;
use show::{Screen, fitted};
use std::ffi::OsString;
use std::io::{BufRead, IsTerminal, stdin, stdout};
use std::sync::Arc;
use std::time::Duration;

const ABOUT: &str = "\
The kernel is compiled for debugging, without optimisation, and runs on the simulator while the block is recorded, so \
every step can be undone. A defect may show at other lines than in the optimised code, or not at all: `check` has \
the last word. Commands are read from standard input if it is not a terminal; `help` lists them.";

#[derive(clap::Args)]
#[command(after_long_help = ABOUT)]
pub struct Args {
    /// A lesson (slug, start of its slug, or number), or a .cu file: for a lesson, or a program; the next lesson to do
    /// if omitted
    #[arg(value_name = "LESSON|FILE.cu")]
    target: Option<OsString>,
    /// The lesson that the file is for, if its name does not say
    #[arg(long, value_name = "LESSON", requires = "target")]
    lesson: Option<String>,
    /// The block to record; if omitted, the one where something was found, or the first
    #[arg(long, value_name = "X,Y,Z", value_parser = command::position)]
    block: Option<(u32, u32, u32)>,
    /// The warp to follow first
    #[arg(long, value_name = "N")]
    warp: Option<u32>,
    /// Which of the lesson's cases, from 1; if omitted, the one in which something is wrong, or the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    case: Option<u32>,
    /// Which launch of the case or of the program, from 1; if omitted, the one where something was found, or the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    launch: Option<u32>,
    /// Maximum number of steps to record, of all warps of the block
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000)]
    most_steps: usize,
    /// GPU to model for a program: t4, a100 (the default) or h100
    #[arg(long = "as", value_name = "GPU")]
    gpu: Option<String>,
    /// Stop a program after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit_seconds: u64,
    #[command(flatten)]
    own: OwnArgs,
    /// The program's arguments, after --
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let choice = RecordChoice {
        case: args.case.map(|case| case as usize - 1),
        launch: args.launch.map(|launch| launch as usize - 1),
        block: args.block,
        most_steps: args.most_steps,
    };
    let (name, lesson) = (args.target.as_deref(), args.lesson.as_deref());
    let (subject, why) = match target::own_program(name, lesson, context)? {
        Some(path) => {
            let file = escape(&name_of(path.as_os_str()));
            let model = Arc::new(model::named(args.gpu.as_deref().unwrap_or(model::DEFAULT))?);
            let on = ModelledRun { model, limit: Duration::from_secs(args.limit_seconds) };
            let program = OwnProgram::open(&path, &args.own, &args.arguments, &on, context)?;
            let subject =
                program.map_or_else(|failure| Ok(Err(failure)), |program| record(&program, &choice))?;
            (subject, format!("run {file}"))
        }
        None => {
            let target = target::named_or_current(name, lesson, context)?;
            let subject = match open(&target, context)? {
                Ok(opened) => {
                    let verdict = match choice.case {
                        Some(_) => None,
                        None => Some(opened.prepared.verdict(&opened.options)?),
                    };
                    let verdict = verdict.as_ref();
                    record(&LessonFile { target: &target, opened: &opened, verdict }, &choice)?
                }
                Err(failure) => Err(failure),
            };
            (subject, format!("check {}", escape(&target.shown)))
        }
    };
    let subject = match subject {
        Ok(subject) => subject,
        Err(failure) => {
            let said = match failure.as_ref() {
                judge::Failure::Unsupported { what, line } => {
                    let place = line.map_or(String::new(), |line| format!(", line {line}"));
                    format!(
                        "compiled for debugging, it needs what the simulator lacks: {}{place}",
                        escape(&report::lack(what))
                    )
                }
                judge::Failure::Limit(limit) => escape(&report::tool_limit(limit)),
                _ => format!("{}; {} {why} says why", escape(failure.slug()), context.style.command),
            };
            context.say(&format!("There is no run to step through: {said}."));
            return Ok(Exit::of(&failure));
        }
    };
    let program = subject.program();
    let Some(recording) = subject.recording() else {
        context.say("The run ended before the block began: choose another with `--block`.");
        return Ok(Exit::Fails);
    };
    if recording.steps().is_empty() {
        return Err(CommandError::usage("nothing was recorded: --most-steps is too small"));
    }
    let warps = recording.warps().len() as u32;
    if let Some(warp) = args.warp.filter(|warp| *warp >= warps) {
        let last = warps - 1;
        return Err(CommandError::usage(format!(
            "there is no warp {warp} in the block: they are numbered 0 to {last}"
        )));
    }
    let session = Session::new(&program, recording, args.warp.or(subject.warp).unwrap_or(0));
    let mut screen = Screen::new(session, &subject, context.style.width);
    let opening = screen.opening();
    context.out.print(&fitted(&opening, context.style.width));
    talk(&mut screen, context)
}

/// Reads commands and answers them until the input ends.
fn talk(screen: &mut Screen, context: &mut Context) -> Answer {
    if stdin().is_terminal() && stdout().is_terminal() {
        return edit(screen, context);
    }
    for line in stdin().lock().lines() {
        let Ok(line) = line else { return Err(CommandError::usage("the commands are not UTF-8 text")) };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // Echoes commands that do not come from a keyboard.
        let prompt = screen.prompt();
        context.out.print(&format!("\n{prompt}{}\n", escape(line)));
        if !answer(line, screen, context) {
            break;
        }
    }
    Ok(Exit::Pass)
}

/// Like [`talk`], with line editing and history.
fn edit(screen: &mut Screen, context: &mut Context) -> Answer {
    let unusable =
        |error: ReadlineError| CommandError::environment(format!("can't read the terminal: {error}"));
    let mut editor = rustyline::DefaultEditor::new().map_err(unusable)?;
    let mut last = String::new();
    loop {
        match editor.readline(&screen.prompt()) {
            Ok(line) => {
                let typed = line.trim();
                // An empty line repeats the last step.
                let line = if typed.is_empty() { std::mem::take(&mut last) } else { typed.to_owned() };
                if line.is_empty() {
                    continue;
                }
                let _ = editor.add_history_entry(&line);
                if !answer(&line, screen, context) {
                    return Ok(Exit::Pass);
                }
                if Command::parse(&line).is_ok_and(|command| command.repeats()) {
                    last = line;
                }
            }
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(Exit::Pass),
            Err(error) => return Err(unusable(error)),
        }
    }
}

/// Answers a command. Returns `false` if it was the last one.
fn answer(line: &str, screen: &mut Screen, context: &mut Context) -> bool {
    let text = match Command::parse(line) {
        Ok(Command::Quit) => return false,
        Ok(command) => answer_to(command, screen),
        Err(wrong) => wrong + "\n",
    };
    context.out.print(&fitted(&text, context.style.width));
    true
}

fn answer_to(command: Command, screen: &mut Screen) -> String {
    match command {
        Command::Continue(direction) => {
            let stop = screen.session.continue_to_breakpoint(direction == Direction::Forward);
            screen.stopped(stop)
        }
        Command::Line { direction, over, times } => {
            screen.repeat(times, |session| session.step_line(direction == Direction::Forward, over))
        }
        Command::Instruction { direction, times } => {
            let text =
                screen.repeat(times, |session| session.step_instruction(direction == Direction::Forward));
            text + &screen.instruction()
        }
        Command::Finish(direction) => {
            let stop = screen.session.finish(direction == Direction::Forward);
            screen.stopped(stop)
        }
        Command::Goto(step) => screen.go(step),
        Command::Start => screen.go(0),
        Command::Break { line, condition } => screen.add_breakpoint(line, condition),
        Command::Delete(number) => screen.delete(number),
        Command::Print { expression, thread } => screen.print(&expression, thread),
        Command::Examine { offset, count } => screen.examine(offset, count),
        Command::List(line) => screen.list(line),
        Command::Warp(warp) => screen.follow(warp),
        Command::Where => screen.whereabouts(),
        Command::Info(Info::Registers) => screen.registers(),
        Command::Info(Info::Locals) => screen.locals(),
        Command::Info(Info::Shared) => screen.shared(),
        Command::Info(Info::Warps) => screen.warps(),
        Command::Info(Info::Breakpoints) => screen.breakpoints(),
        Command::Help => command::HELP.to_owned(),
        Command::Quit => String::new(),
    }
}
