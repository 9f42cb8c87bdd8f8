//! The debugger's commands, modelled on `cuda-gdb`.

use ::debug::{Expression, ExpressionError};
use report::escape;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Back,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Info {
    Registers,
    Locals,
    Shared,
    Warps,
    Breakpoints,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Runs to a breakpoint.
    Continue(Direction),
    /// `over`: steps over function calls.
    Line { direction: Direction, over: bool, times: u32 },
    /// Steps by PTX instructions.
    Instruction { direction: Direction, times: u32 },
    /// Runs until the function returns, or back to its call.
    Finish(Direction),
    /// Goes to a step of the block, by its number.
    Goto(usize),
    /// Goes to the first step.
    Start,
    /// Sets a breakpoint, with the condition under which it stops.
    Break { line: u32, condition: Option<Expression> },
    /// One breakpoint by number; all of them if `None`.
    Delete(Option<u32>),
    /// Prints for one thread by its index in the block, or for all lanes of the warp if `None`.
    Print { expression: Expression, thread: Option<u32> },
    /// Shows words of shared memory.
    Examine { offset: u64, count: u32 },
    /// Shows the source around a line; around the current one if `None`.
    List(Option<u32>),
    /// Follows another warp, by its index in the block.
    Warp(u32),
    /// Shows where the warp's lanes are, and why.
    Where,
    /// Shows a list.
    Info(Info),
    /// Shows the commands.
    Help,
    /// Ends the debugger.
    Quit,
}

/// Maximum number of steps per command.
const MAX_TIMES: u32 = 1_000_000;
/// Maximum number of memory words per command.
const MAX_WORDS: u32 = 1024;

pub const HELP: &str = "\
Forward and back
  s, step [N]           to the warp's next line        rs       back a line
  n, next [N]           the same, over calls           rn       back, over calls
  si [N]                one PTX instruction            rsi      back by one
  c, continue           to the next breakpoint         rc       back to one
  finish                until the function returns     rfinish  back to its call
  goto STEP, start      to a step of the block, to its first step
Breakpoints
  b LINE [if CONDITION] when a warp reaches the line: b 12 if threadIdx.x == 3
  delete [NUMBER]       remove one, or all
Looking
  p EXPRESSION          for all lanes of the warp: p s, p tile[t + half], p %r3
  p EXPRESSION@THREAD   for one thread of the block, by its number
  info locals           the variables in scope here
  info shared           the block's shared arrays
  x shared BYTE/WORDS   words of shared memory
  info registers        PTX registers
  info warps            where each warp is
  info breakpoints
  where                 where the warp's lanes are, and why
  list [LINE]           the source
  warp N                follow another warp
  help, q               this help, quit
";

/// Every command with its short names. An unambiguous prefix of a full name is accepted as well.
const NAMES: [(&str, &[&str]); 21] = [
    ("continue", &["c"]),
    ("reverse-continue", &["rc"]),
    ("step", &["s"]),
    ("reverse-step", &["rs"]),
    ("next", &["n"]),
    ("reverse-next", &["rn"]),
    ("stepi", &["si"]),
    ("reverse-stepi", &["rsi"]),
    ("finish", &["fin"]),
    ("reverse-finish", &["rfinish"]),
    ("goto", &["g"]),
    ("start", &["run", "r"]),
    ("break", &["b"]),
    ("delete", &["d", "clear"]),
    ("print", &["p"]),
    ("examine", &["x"]),
    ("list", &["l"]),
    ("warp", &["w"]),
    ("where", &["bt", "backtrace"]),
    ("info", &["i"]),
    ("help", &["h", "?"]),
];

impl Command {
    /// Parses a line.
    ///
    /// # Errors
    ///
    /// A message that says what is wrong with the line.
    pub fn parse(line: &str) -> Result<Command, String> {
        let line = line.trim();
        let end = line.find(|c: char| c.is_whitespace()).unwrap_or(line.len());
        let (word, rest) = (&line[..end], line[end..].trim());
        // gdb's `p/x` and the like: the format is ignored.
        let word = word.split_once('/').map_or(word, |(word, _)| word);
        if matches!(word, "q" | "quit" | "exit") {
            return Ok(Command::Quit);
        }
        let times = || count(rest, 1, MAX_TIMES);
        let plain = |command: Command| match rest {
            "" => Ok(command),
            more => Err(format!("`{}` takes no argument, but got `{}`", escape(word), escape(more))),
        };
        let name = named(word)?;
        let (name, direction) = match name.strip_prefix("reverse-") {
            Some(name) => (name, Direction::Back),
            None => (name, Direction::Forward),
        };
        match name {
            "continue" => plain(Command::Continue(direction)),
            "step" | "next" => Ok(Command::Line { direction, over: name == "next", times: times()? }),
            "stepi" => Ok(Command::Instruction { direction, times: times()? }),
            "finish" => plain(Command::Finish(direction)),
            "goto" => match rest.parse() {
                Ok(step) => Ok(Command::Goto(step)),
                Err(_) => Err("`goto` takes the number of a step, as the prompt shows it: goto 120".into()),
            },
            "start" => plain(Command::Start),
            "break" => breakpoint(rest),
            "delete" if rest.is_empty() => Ok(Command::Delete(None)),
            "delete" => Ok(Command::Delete(Some(count(rest, 0, u32::MAX)?))),
            "print" => print(rest),
            "examine" => examine(rest),
            "list" if rest.is_empty() => Ok(Command::List(None)),
            "list" => Ok(Command::List(Some(count(rest, 1, u32::MAX)?))),
            "warp" => match rest.parse() {
                Ok(warp) => Ok(Command::Warp(warp)),
                Err(_) => Err("`warp` takes the number of a warp: warp 1".into()),
            },
            "where" => plain(Command::Where),
            "info" => info(rest),
            _ => Ok(Command::Help),
        }
    }

    /// Returns whether an empty line repeats the command.
    pub fn repeats(&self) -> bool {
        matches!(
            self,
            Command::Continue(_) | Command::Line { .. } | Command::Instruction { .. } | Command::List(_)
        )
    }
}

/// Returns the full name of the command that was typed.
fn named(word: &str) -> Result<&'static str, String> {
    let is = |(name, short): &&(&str, &[&str])| *name == word || short.contains(&word);
    if let Some((name, _)) = NAMES.iter().find(is) {
        return Ok(name);
    }
    let begins: Vec<&str> =
        NAMES.iter().map(|(name, _)| *name).filter(|name| name.starts_with(word)).collect();
    match begins.as_slice() {
        [one] if !word.is_empty() => Ok(one),
        [_, ..] if !word.is_empty() => Err(format!("`{}` could be {}", escape(word), begins.join(" or "))),
        _ => Err(format!("there is no command `{}`: `help` lists them", escape(word))),
    }
}

/// Parses a number from `least` to `most`; 1 if the text is empty.
fn count(text: &str, least: u32, most: u32) -> Result<u32, String> {
    if text.is_empty() {
        return Ok(1);
    }
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("`{}` is not a number from {least} to {most}", escape(text)))
}

fn breakpoint(rest: &str) -> Result<Command, String> {
    const HOW: &str = "`b` takes a line, and optionally a condition: b 12, b 12 if threadIdx.x == 3";
    let (line, condition) = match rest.split_once(" if ") {
        Some((line, condition)) => (line.trim(), Some(expression(condition)?)),
        None => (rest, None),
    };
    // Compiler messages name places as `file.cu:12`.
    let line = line.rsplit(':').next().unwrap_or(line);
    let line = line.parse().map_err(|_| HOW.to_owned())?;
    Ok(Command::Break { line, condition })
}

fn print(rest: &str) -> Result<Command, String> {
    let (text, thread) = match rest.rsplit_once('@') {
        Some((text, thread)) => match thread.trim().parse() {
            Ok(thread) => (text, Some(thread)),
            Err(_) => return Err("`@` is followed by the number of a thread in the block: p i@35".into()),
        },
        None => (rest, None),
    };
    Ok(Command::Print { expression: expression(text)?, thread })
}

fn expression(text: &str) -> Result<Expression, String> {
    Expression::parse(text).map_err(|error| why(&error))
}

/// Says what is wrong with an expression.
pub fn why(error: &ExpressionError) -> String {
    match error {
        ExpressionError::Empty => "`p` takes an expression: p i, p tile[threadIdx.x], p i@35".into(),
        ExpressionError::Syntax(rest) if rest.is_empty() => "the expression ends too early".into(),
        ExpressionError::Syntax(rest) => format!("`{}` is not understood here", escape(rest)),
        ExpressionError::TooLong => "the expression is too long".into(),
        ExpressionError::Unknown(name) => {
            format!("no variable is called `{}` here: `info locals` lists them", escape(name))
        }
        ExpressionError::NoRegister(name) => {
            format!("this function has no register `{}`: `info registers` lists them", escape(name))
        }
        ExpressionError::NotNumeric(part) => match part.as_str() {
            "threadIdx" | "blockIdx" | "blockDim" | "gridDim" => {
                format!("`{part}` has three numbers: {part}.x, {part}.y and {part}.z")
            }
            part => format!("`{}` needs numbers", escape(part)),
        },
        ExpressionError::NoElements => "that is neither an array nor a pointer".into(),
        ExpressionError::NoMember(name) => format!("it has no member `{}`", escape(name)),
    }
}

/// Parses `shared 0x40/8`, or a bare `64/8`.
fn examine(rest: &str) -> Result<Command, String> {
    const HOW: &str = "`x` shows words of shared memory, starting at a byte: x shared 0/32";
    let place = rest.strip_prefix("shared").unwrap_or(rest).trim();
    let (offset, words) = place.split_once('/').unwrap_or((place, "8"));
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.is_empty() => Some(0),
        None => text.parse().ok(),
    };
    let offset = number(offset.trim()).ok_or(HOW)?;
    let count = words.trim().parse().ok().filter(|words| (1..=MAX_WORDS).contains(words));
    Ok(Command::Examine { offset, count: count.ok_or(HOW)? })
}

fn info(rest: &str) -> Result<Command, String> {
    let known = [
        ("registers", Info::Registers),
        ("locals", Info::Locals),
        ("args", Info::Locals),
        ("shared", Info::Shared),
        ("warps", Info::Warps),
        ("breakpoints", Info::Breakpoints),
    ];
    let found = known.iter().find(|(name, _)| !rest.is_empty() && name.starts_with(rest));
    match found {
        Some((_, info)) => Ok(Command::Info(*info)),
        None => Err("`info` shows locals, registers, shared, warps or breakpoints".into()),
    }
}

/// Parses a block index such as `2,0,0` or `2`.
///
/// # Errors
///
/// The text is something else.
pub fn position(text: &str) -> Result<(u32, u32, u32), String> {
    let numbers: Result<Vec<u32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([x]) => Ok((*x, 0, 0)),
        Ok([x, y]) => Ok((*x, *y, 0)),
        Ok([x, y, z]) => Ok((*x, *y, *z)),
        _ => Err("a block is given as up to three numbers, such as 2 or 1,0,0".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands_have_short_names() {
        let line = |direction, over, times| Command::Line { direction, over, times };
        for (text, command) in [
            ("s", line(Direction::Forward, false, 1)),
            ("step 3", line(Direction::Forward, false, 3)),
            ("rn", line(Direction::Back, true, 1)),
            ("reverse-step", line(Direction::Back, false, 1)),
            ("  c ", Command::Continue(Direction::Forward)),
            ("cont", Command::Continue(Direction::Forward)),
            ("info b", Command::Info(Info::Breakpoints)),
            ("i reg", Command::Info(Info::Registers)),
            ("x shared 0x10/4", Command::Examine { offset: 16, count: 4 }),
            ("x/8 0", Command::Examine { offset: 0, count: 8 }),
            ("b kernel.cu:12", Command::Break { line: 12, condition: None }),
            ("goto 9", Command::Goto(9)),
            ("exit", Command::Quit),
        ] {
            assert_eq!(Command::parse(text), Ok(command), "{text}");
        }
        for wrong in [
            "", "walk", "s x", "step 0", "b", "b x", "b 3 if", "p", "p i@", "p (", "x shared", "x y", "info",
            "re",
        ] {
            if wrong != "x shared" {
                assert!(Command::parse(wrong).is_err(), "{wrong}");
            }
        }
    }

    proptest! {
        #[test]
        fn nothing_that_is_typed_panics(line in any::<String>()) {
            let _ = Command::parse(&line);
        }

        #[test]
        fn nothing_like_a_command_panics(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "p", "b", "x", "info", "s", "if", "@", "[", "]", "(", ")", "*", "-", "!", "%", "threadIdx", ".x", "1",
                    "0x", "->", "&&", "/", "warp", "goto", " ", "i", "é", "'",
                ]),
                0..30,
            )
        ) {
            let _ = Command::parse(&words.concat());
            let _ = Command::parse(&words.join(" "));
        }
    }
}
