//! The debugger's output, as text of at most 80 columns; [`fitted`] makes it narrower.

use super::command::why;
use super::recorded::RecordedBlock;
use ::debug::{Expression, Group, LanePlace, LaneState, NoBreakpoint, Session, Shown, Stop, Value};
use report::{escape, grouped, plural, text_width, truncate, wrap};
use sim::Dim3;

/// Lines of source shown before and after a line.
const AROUND: u32 = 4;

/// Renders the answers to commands.
pub struct Screen<'a> {
    pub session: Session<'a>,
    subject: &'a RecordedBlock,
    lines: Vec<&'a str>,
    width: usize,
    /// The warp and the active lanes that were shown last.
    shown: Option<(u32, u32)>,
    /// The last line that `list` showed, after which it continues; 0 if none.
    listed: u32,
}

impl<'a> Screen<'a> {
    pub fn new(session: Session<'a>, subject: &'a RecordedBlock, width: usize) -> Screen<'a> {
        let lines = subject.text.lines().collect();
        Screen { session, subject, lines, width, shown: None, listed: 0 }
    }

    /// Renders what was recorded, and where the session begins.
    pub fn opening(&mut self) -> String {
        let recorded = &self.subject.recorded;
        let config = recorded.config;
        let recording = self.session.recording();
        let mut out = format!(
            "{}\nKernel {}\nBlock {}, {} in {}\n",
            escape(&self.subject.file),
            escape(&self.subject.launch_name()),
            self.subject.name(),
            plural(config.block.count(), "thread", "threads"),
            plural(recording.warps().len() as u64, "warp", "warps"),
        );
        let case = recorded.case.to_string();
        if !case.is_empty() {
            out += &format!("Case: {}\n", escape(&case));
        }
        let steps = plural(recording.steps().len() as u64, "step", "steps");
        out += &match recording.is_cut() {
            true => format!("Only its first {steps} are recorded: {}.\n", self.subject.what_cut()),
            false => format!("Recorded: {steps}, each an instruction of a warp.\n"),
        };
        if self.session.program().variables.is_empty() {
            out += "Its variables have no names here: `p %r1` prints a PTX register.\n";
        }
        let mut shown_places = Vec::new();
        for (finding, access) in self.subject.findings() {
            let line = access.line();
            let place = (finding.kind, line);
            if shown_places.contains(&place) || line == 0 {
                continue;
            }
            shown_places.push(place);
            let thread = self.subject.number(access.thread);
            out += &format!(
                "Found: {} {}, line {line}, thread {thread}. ",
                finding.kind.code(),
                finding.kind.slug()
            );
            out += &format!("To go there:\n    b {line} if {}\n", thread_is(access.thread, config.block));
        }
        out += "`help` lists the commands.\n\n";
        out + &self.here()
    }

    pub fn prompt(&self) -> String {
        let (at, steps) = (self.session.at(), self.session.steps());
        let line = self.session.here().map_or(0, |step| self.session.program().line(step.pc));
        let place = match (line, self.session.here()) {
            (_, None) => "at the end".to_owned(),
            (0, _) => "no line".to_owned(),
            (line, _) => format!("line {line}"),
        };
        format!("warp {}, {place}, step {at}/{steps}> ", self.session.warp())
    }

    /// Renders a numbered line of the source; `mark` says that it runs next.
    fn source_line(&self, line: u32, mark: bool) -> String {
        let Some(text) = line.checked_sub(1).and_then(|n| self.lines.get(n as usize)) else {
            return String::new();
        };
        let text = escape(&text.trim_end().replace('\t', "    "));
        let mark = if mark { '>' } else { ' ' };
        format!("{}\n", truncate(&format!("{mark}{line:>5}  {text}"), self.width))
    }

    /// Renders where the warp is: its lanes if they changed, and the line.
    pub fn here(&mut self) -> String {
        let session = &self.session;
        let warp = session.warp();
        let Some(step) = session.here() else {
            self.shown = None;
            let groups = session.groups(warp);
            let cut = session.recording().is_cut();
            let mut out = if cut {
                "The recording ends here.\n".to_owned()
            } else if groups.iter().all(|group| group.place.way == LaneState::Left) {
                format!("Warp {warp} has left the kernel.\n")
            } else {
                String::new()
            };
            for group in groups.iter().filter(|group| group.place.way != LaneState::Left) {
                out += &self.group(warp, group);
            }
            return out;
        };
        let line = session.program().line(step.pc);
        let mut out = String::new();
        let exist = session.recording().warps()[warp as usize];
        if self.shown != Some((warp, step.lanes)) {
            let who = match step.lanes == exist {
                true => format!(
                    "Warp {warp}, threads {} to {}",
                    warp * 32,
                    warp * 32 + 31 - exist.leading_zeros()
                ),
                false => format!("Warp {warp}, {} of {} lanes", step.lanes.count_ones(), exist.count_ones()),
            };
            out += &format!("{who:<28} {}\n", dots(step.lanes, exist));
        }
        self.shown = Some((warp, step.lanes));
        self.listed = 0;
        out += &match line {
            0 => "        (code of a header, or without a line: `s` continues to the next line)\n".to_owned(),
            line => self.source_line(line, true),
        };
        let divergence = self.session.divergence();
        for (lanes, to) in &divergence {
            let way = if *to == 0 { "elsewhere".to_owned() } else { format!("to line {to}") };
            out += &format!("{:<28} {}\n", format!("  the warp diverges: {way}"), dots(*lanes, exist));
        }
        out
    }

    /// Renders the place after a move.
    pub fn stopped(&mut self, stop: Stop) -> String {
        let said = match stop {
            Stop::There => String::new(),
            Stop::Breakpoint(number) => format!("Breakpoint {number}, warp {}.\n", self.session.warp()),
            Stop::End => match self.session.recording().is_cut() {
                true => format!("The recording ends here: {}.\n", self.subject.what_cut()),
                false => "The end of the run.\n".into(),
            },
            Stop::Beginning => "The beginning of the run.\n".into(),
        };
        let here = self.here();
        if said == here { here } else { said + &here }
    }

    pub fn repeat(&mut self, times: u32, step: impl Fn(&mut Session<'a>) -> Stop) -> String {
        let from = self.session.at();
        let mut stop = Stop::There;
        for _ in 0..times {
            stop = step(&mut self.session);
            if stop != Stop::There {
                break;
            }
        }
        let text = self.stopped(stop);
        let (from, to) = (from.min(self.session.at()), from.max(self.session.at()));
        let warp = self.session.warp();
        let steps = &self.session.recording().steps()[from..to];
        let others = steps.iter().filter(|step| step.warp != warp).count() as u64;
        if others == 0 {
            return text;
        }
        format!("Meanwhile, other warps took {}.\n{text}", plural(others, "step", "steps"))
    }

    /// Renders the instruction that runs next.
    pub fn instruction(&self) -> String {
        let mut out = String::new();
        if let Some(text) = self.session.here().and_then(|step| self.session.program().instruction(step.pc)) {
            let text: Vec<&str> = text.split_whitespace().collect();
            out += &format!("{}\n", truncate(&format!("        {}", escape(&text.join(" "))), self.width));
        }
        out
    }

    pub fn go(&mut self, step: usize) -> String {
        if step > self.session.steps() {
            return format!("`goto` takes a step from 0 to {}\n", self.session.steps());
        }
        self.session.go(step);
        self.here()
    }

    pub fn follow(&mut self, warp: u32) -> String {
        if self.session.follow(warp) {
            self.here()
        } else {
            let last = self.session.recording().warps().len() - 1;
            format!("there is no warp {warp}: they are numbered 0 to {last}\n")
        }
    }

    pub fn add_breakpoint(&mut self, line: u32, condition: Option<Expression>) -> String {
        // Reject a condition that can't be evaluated, because it would never hold.
        if let Some(condition) = &condition {
            let warp = self.session.warp();
            if let Err(error) = self.session.value(condition, warp, 0) {
                return why(&error) + "\n";
            }
        }
        match self.session.add_breakpoint(line, condition) {
            Ok(added) => {
                let moved = if added.line == line { "" } else { ", the next that this block reached" };
                format!("Breakpoint {} at line {}{moved}.\n", added.number, added.line)
            }
            Err(NoBreakpoint::NoCode) => {
                let last = self.session.lines().last().copied().unwrap_or(0);
                format!("this block reached no line from {line} on; the last it reached is {last}\n")
            }
            Err(NoBreakpoint::TooMany) => "there are too many breakpoints: `delete` removes some\n".into(),
        }
    }

    pub fn delete(&mut self, number: Option<u32>) -> String {
        match (self.session.remove_breakpoint(number), number) {
            (true, Some(number)) => format!("Deleted breakpoint {number}.\n"),
            (true, None) => "Deleted all breakpoints.\n".into(),
            (false, Some(number)) => format!("there is no breakpoint {number}\n"),
            (false, None) => "there are no breakpoints\n".into(),
        }
    }

    pub fn breakpoints(&self) -> String {
        if self.session.breakpoints().is_empty() {
            return "No breakpoints: `b LINE` sets one.\n".into();
        }
        let line = |breakpoint: &::debug::Breakpoint| {
            let condition = breakpoint.condition.as_ref();
            let condition = condition.map_or(String::new(), |it| format!(" if {}", escape(it.text())));
            format!("{:>3}  line {}{condition}\n", breakpoint.number, breakpoint.line)
        };
        self.session.breakpoints().iter().map(line).collect()
    }

    pub fn print(&mut self, expression: &Expression, thread: Option<u32>) -> String {
        let name = escape(expression.text());
        if let Some(thread) = thread {
            let (warp, lane) = (thread / 32, thread % 32);
            let last = self.subject.recorded.config.block.count() - 1;
            if u64::from(thread) > last {
                return format!("there is no thread {thread}: they are numbered 0 to {last}\n");
            }
            return match self.session.value(expression, warp, lane) {
                Ok(Shown::Value(value)) => {
                    format!("{name} = {} in thread {thread}\n", self.value(&Shown::Value(value)))
                }
                Ok(other) => format!("{name} in thread {thread}: {}\n", self.whole(&other)),
                Err(error) => why(&error) + "\n",
            };
        }
        let warp = self.session.warp();
        let values: Result<Vec<Shown>, _> =
            (0..32).map(|lane| self.session.value(expression, warp, lane)).collect();
        match values {
            Ok(values) => self.lanes(&name, &self.type_of(expression), &values),
            Err(error) => why(&error) + "\n",
        }
    }

    /// Returns the declared type of a name, in parentheses.
    fn type_of(&self, expression: &Expression) -> String {
        let Some(name) = expression.name() else { return String::new() };
        let variable = self.session.variables().into_iter().find(|variable| variable.name == name);
        let shared = self.session.program().shared.iter().find(|array| array.name == name);
        let ty =
            variable.map(|variable| variable.ty.to_string()).or(shared.map(|array| array.ty.to_string()));
        ty.map_or(String::new(), |ty| format!(" ({})", escape(&ty)))
    }

    /// Renders the values of all lanes: one if they are all the same, else in rows of at most eight.
    fn lanes(&self, name: &str, ty: &str, values: &[Shown]) -> String {
        let warp = self.session.warp();
        let exist = self.session.recording().warps()[warp as usize];
        let runs = self.session.here().map_or(0, |step| step.lanes);
        let lanes: Vec<usize> = (0..32).filter(|lane| exist >> lane & 1 != 0).collect();
        let first = &values[lanes[0]];
        if lanes.iter().all(|lane| values[*lane] == *first) {
            let all = plural(lanes.len() as u64, "lane", "lanes");
            return match first {
                Shown::Value(_) => {
                    truncate(&format!("{name}{ty} = {} in all {all}", self.value(first)), self.width) + "\n"
                }
                other => format!("{name}{ty}: {}\n", self.whole(other)),
            };
        }
        let cell = |lane: usize| {
            let text = self.value(&values[lane]);
            if runs >> lane & 1 != 0 { text } else { format!("({text})") }
        };
        let cells: Vec<String> = lanes.iter().map(|lane| cell(*lane)).collect();
        let (rows, per_row) = rows_of(&cells, 5, self.width);
        let mut out = format!("{name}{ty}, warp {warp}");
        let idle = exist & !runs;
        if idle != 0 && runs != 0 {
            out += "; lanes in ( ) do not run this line now";
        }
        out += "\n";
        for (row, text) in rows.iter().enumerate() {
            out += &format!("{}\n", truncate(&format!("{:>4} {text}", lanes[row * per_row]), self.width));
        }
        out
    }

    /// Formats a value, or says in a sentence why there is none.
    fn whole(&self, shown: &Shown) -> String {
        report::lane_value_in_words(shown, self.session.recording())
    }

    fn value(&self, shown: &Shown) -> String {
        report::lane_value(shown, self.session.recording())
    }

    pub fn locals(&self) -> String {
        let warp = self.session.warp();
        let variables = self.session.variables();
        if variables.is_empty() {
            return "No variables are in scope here.\n".into();
        }
        let mut out = String::new();
        for variable in variables {
            let values: Vec<Shown> =
                (0..32).map(|lane| self.session.variable(variable, warp, lane)).collect();
            let ty = format!(" ({})", escape(&variable.ty.to_string()));
            out += &self.lanes(&escape(&variable.name), &ty, &values);
        }
        out
    }

    pub fn registers(&self) -> String {
        let registers = self.session.all_registers();
        if registers.is_empty() {
            return "No register holds anything yet.\n".into();
        }
        registers.iter().map(|(name, values)| self.lanes(&escape(name), "", values)).collect()
    }

    pub fn shared(&self) -> String {
        let arrays = &self.session.program().shared;
        if arrays.is_empty() {
            return "The kernel has no shared arrays.\n".into();
        }
        let mut out = String::new();
        for array in arrays {
            let (name, ty, all) = (escape(&array.name), escape(&array.ty.to_string()), array.count());
            let has_value = |element: &u64| self.session.shared_element(array, *element) != Shown::NoValue;
            let written = (0..all).filter(has_value).count() as u64;
            let have = if all == 1 { "element has a value" } else { "elements have a value" };
            out += &format!(
                "{name} ({ty}), {} from byte {}: {} of {} {have}\n",
                plural(array.bytes, "byte", "bytes"),
                array.start,
                grouped(written),
                grouped(all)
            );
        }
        out + "`p NAME[INDEX]` prints an element, `x shared BYTE/WORDS` the memory.\n"
    }

    /// Renders words of shared memory, as elements of the array there if known, else as bits.
    pub fn examine(&self, offset: u64, count: u32) -> String {
        let bytes = self.session.recording().shared_bytes();
        if offset >= bytes {
            return match bytes {
                0 => "the block has no shared memory\n".into(),
                bytes => format!("the block has {} of shared memory\n", plural(bytes, "byte", "bytes")),
            };
        }
        let offset = offset / 4 * 4;
        let arrays = &self.session.program().shared;
        let word = |at: u64| {
            let array = arrays.iter().find(|array| at >= array.start && at < array.start + array.bytes);
            let ty = array.map(|array| array.element()).filter(|ty| ty.bytes() == 4);
            match (self.session.shared(at, 4.min(bytes - at) as u32), ty) {
                (Some(Shown::Value(Value::Bits { bits, .. })), Some(ty)) => {
                    Value::of_bits(bits, ty).map_or("?".into(), |value| self.value(&Shown::Value(value)))
                }
                (Some(shown), _) => self.value(&shown),
                (None, _) => "?".into(),
            }
        };
        let places: Vec<u64> =
            (0..u64::from(count)).map(|n| offset + 4 * n).filter(|at| *at < bytes).collect();
        let cells: Vec<String> = places.iter().map(|at| word(*at)).collect();
        let (rows, per_row) = rows_of(&cells, 7, self.width);
        let row = |(text, places): (&String, &[u64])| format!("{:>6}:{text}\n", places[0]);
        rows.iter().zip(places.chunks(per_row)).map(row).collect()
    }

    pub fn list(&mut self, line: Option<u32>) -> String {
        let here = self.session.here().map_or(0, |step| self.session.program().line(step.pc));
        let middle = match line {
            Some(line) => line,
            None if self.listed > 0 => self.listed + AROUND + 1,
            None => here.max(1),
        };
        let last = self.lines.len() as u32;
        if middle > last + AROUND {
            self.listed = 0;
            return format!("the file has {}\n", plural(last.into(), "line", "lines"));
        }
        let first = middle.saturating_sub(AROUND).max(1);
        self.listed = middle + AROUND;
        (first..=(middle + AROUND).min(last)).map(|line| self.source_line(line, line == here)).collect()
    }

    /// Renders the lanes of a warp that are at one place.
    fn group(&self, warp: u32, group: &Group) -> String {
        let exist = self.session.recording().warps()[warp as usize];
        let LanePlace { pc, way, .. } = group.place;
        let line = match self.session.program().line(pc) {
            0 => String::new(),
            line => format!(" line {line}"),
        };
        let text = match way {
            LaneState::Runs => format!("at{line}"),
            LaneState::Waits => format!("waits at the barrier,{line}"),
            LaneState::Deadlocked => format!("waits forever,{line}"),
            LaneState::Stopped => format!("stopped at{line}"),
            LaneState::Left => "has left".to_owned(),
        };
        format!("{:<4} {text:<30} {}\n", format!("{warp}:"), dots(group.lanes, exist))
    }

    pub fn warps(&self) -> String {
        let count = self.session.recording().warps().len() as u32;
        let groups =
            (0..count).flat_map(|warp| self.session.groups(warp).into_iter().map(move |group| (warp, group)));
        groups.map(|(warp, group)| self.group(warp, &group)).collect()
    }

    pub fn whereabouts(&self) -> String {
        let warp = self.session.warp();
        let mut out = String::new();
        for group in self.session.groups(warp) {
            out += &self.group(warp, &group);
            if group.place.way != LaneState::Left {
                out += &self.source_line(self.session.program().line(group.place.pc), false);
            }
        }
        out
    }
}

/// Breaks the lines of a text that are wider than the screen: into the columns that several spaces separate, one below
/// the other, and those between words.
pub fn fitted(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if text_width(line) <= width {
            out += line;
            out.push('\n');
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let columns = line.split("  ").map(str::trim).filter(|column| !column.is_empty());
        for (n, column) in columns.enumerate() {
            let indent = if n == 0 { indent } else { indent + 4 };
            wrap(column, width, indent).iter().for_each(|part| out += &format!("{part}\n"));
        }
    }
    out
}

/// Returns a condition that holds for one thread only.
fn thread_is(thread: Dim3, block: Dim3) -> String {
    let axes = [("x", thread.x, 2), ("y", thread.y, block.y), ("z", thread.z, block.z)];
    let asked = axes.iter().filter(|(.., extent)| *extent > 1);
    asked.map(|(axis, at, _)| format!("threadIdx.{axis} == {at}")).collect::<Vec<_>>().join(" && ")
}

/// Lays out cells of one width in rows behind a head of `head` columns: as many per row as fit, halving from eight.
/// Returns the rows, and how many cells each has.
fn rows_of(cells: &[String], head: usize, width: usize) -> (Vec<String>, usize) {
    let widest = cells.iter().map(|cell| text_width(cell)).max().unwrap_or(1);
    let per_row = [8, 4, 2, 1].into_iter().find(|n| head + n * (widest + 1) <= width).unwrap_or(1);
    let pad = |cell: &String| format!(" {}{cell}", " ".repeat(widest - text_width(cell)));
    (cells.chunks(per_row).map(|row| row.iter().map(pad).collect()).collect(), per_row)
}

/// Draws 32 lanes in groups of eight: lanes of the mask, other lanes, and blanks where there is no thread.
fn dots(lanes: u32, exist: u32) -> String {
    let dot = |lane: u32| match (exist >> lane & 1, lanes >> lane & 1) {
        (0, _) => ' ',
        (_, 0) => '○',
        _ => '●',
    };
    let eights = (0..4).map(|eight| (eight * 8..eight * 8 + 8).map(dot).collect::<String>());
    eights.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::command::HELP;
    use super::*;

    #[test]
    fn what_is_too_wide_is_broken() {
        assert_eq!(fitted(HELP, 80), HELP);
        for width in [30, 50, 79] {
            let text = fitted(HELP, width);
            assert!(text.lines().all(|line| text_width(line) <= width), "{text}");
        }
        let lanes = "Warp 0, threads 0 to 31      ●●●●●●●● ●●●●●●●● ●●●●●●●● ●●●●●●●●\n";
        let below = "Warp 0, threads 0 to 31\n    ●●●●●●●● ●●●●●●●● ●●●●●●●● ●●●●●●●●\n";
        assert_eq!((fitted(lanes, 80).as_str(), fitted(lanes, 60).as_str()), (lanes, below));
        assert_eq!(fitted("\n  one two three\n", 12), "\n  one two\n  three\n");
    }
}
