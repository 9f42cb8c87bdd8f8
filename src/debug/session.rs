//! A position in a recording, which can be moved forward and back.

use crate::evaluate::{self, Thread};
use crate::expression::{Expression, ExpressionError};
use crate::program::{MemoryArray, Program};
use crate::value::{Shown, Value};
use crate::variables::Variable;
use sim::{Flow, Frame, RecordedStep, Recording, State};

/// No step.
const NONE: u32 = u32::MAX;

/// Where a lane is, between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanePlace {
    /// The instruction that it runs next, or the last one that it ran.
    pub pc: u32,
    pub frame: Frame,
    pub way: LaneState,
}

/// What a lane does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneState {
    /// It runs the instruction when its warp is scheduled.
    Runs,
    /// It has arrived at a barrier and waits for others.
    Waits,
    /// Like [`LaneState::Waits`], but the others never arrive.
    Deadlocked,
    /// The run ended before it continued.
    Stopped,
    /// It has left the kernel.
    Left,
}

/// Lanes of a warp that are at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    pub lanes: u32,
    pub place: LanePlace,
}

/// A line at which to stop, optionally under a condition on the thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    pub number: u32,
    pub line: u32,
    pub condition: Option<Expression>,
}

/// Why a breakpoint can't be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBreakpoint {
    /// Neither the line nor any line after it has code.
    NoCode,
    /// The maximum number of breakpoints is reached.
    TooMany,
}

/// Why a movement stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It reached its destination.
    There,
    /// At the breakpoint with this number.
    Breakpoint(u32),
    /// The followed warp has no further step in that direction.
    End,
    Beginning,
}

const MAX_BREAKPOINTS: usize = 100;

/// A recording and the current position in it.
#[derive(Debug)]
pub struct Session<'a> {
    program: &'a Program<'a>,
    recording: &'a Recording,
    state: State<'a>,
    /// The warp that is followed.
    warp: u32,
    breakpoints: Vec<Breakpoint>,
    last_number: u32,
    /// For each step, the previous step of the same warp.
    before: Vec<u32>,
}

impl<'a> Session<'a> {
    /// Creates a session at the beginning of the recording; `warp` is the warp to follow.
    pub fn new(program: &'a Program<'a>, recording: &'a Recording, warp: u32) -> Session<'a> {
        let mut last = vec![NONE; recording.warps().len()];
        let before = recording.steps().iter().enumerate().map(|(n, step)| {
            last.get_mut(step.warp as usize).map_or(NONE, |last| std::mem::replace(last, n as u32))
        });
        let before = before.collect();
        let warp = warp.min(recording.warps().len().saturating_sub(1) as u32);
        let state = recording.state();
        let mut session =
            Session { program, recording, state, warp, breakpoints: Vec::new(), last_number: 0, before };
        session.go_to_next_step();
        session
    }

    /// Moves to the next step of the followed warp, if it has one.
    fn go_to_next_step(&mut self) {
        if let Some(next) = self.next_of(self.warp, self.at()) {
            self.state.go(next);
        }
    }

    pub fn program(&self) -> &'a Program<'a> {
        self.program
    }

    pub fn recording(&self) -> &'a Recording {
        self.recording
    }

    /// Returns the number of the block's steps that have been taken.
    pub fn at(&self) -> usize {
        self.state.at()
    }

    /// Returns the number of steps in the recording.
    pub fn steps(&self) -> usize {
        self.recording.steps().len()
    }

    /// Returns the warp that is followed.
    pub fn warp(&self) -> u32 {
        self.warp
    }

    /// Follows another warp. Returns `false` if there is no warp of that number.
    pub fn follow(&mut self, warp: u32) -> bool {
        let exists = (warp as usize) < self.recording.warps().len();
        if exists {
            self.warp = warp;
        }
        exists
    }

    /// Returns a warp's steps at and after `from`, and those before it, the last first.
    fn steps_around(
        &self,
        warp: u32,
        from: usize,
    ) -> (impl Iterator<Item = usize>, impl Iterator<Item = usize>) {
        let steps = self.recording.steps_of(warp);
        let (before, after) = steps.split_at(steps.partition_point(|step| (*step as usize) < from));
        (after.iter().map(|step| *step as usize), before.iter().rev().map(|step| *step as usize))
    }

    /// Returns the first step of the followed warp behind `step`, or else before it, that is wanted.
    fn find(&self, step: usize, forward: bool, wanted: impl Fn(&usize) -> bool) -> Option<usize> {
        match forward {
            true => self.steps_around(self.warp, step + 1).0.find(wanted),
            false => self.steps_around(self.warp, step).1.find(wanted),
        }
    }

    /// Returns a warp's first step at or after `from`.
    fn next_of(&self, warp: u32, from: usize) -> Option<usize> {
        self.steps_around(warp, from).0.next()
    }

    /// Returns a warp's last step before `from`.
    fn before(&self, warp: u32, from: usize) -> Option<usize> {
        self.steps_around(warp, from).1.next()
    }

    /// Returns the step that the followed warp takes next.
    pub fn here(&self) -> Option<&'a RecordedStep> {
        self.recording.steps().get(self.next_of(self.warp, self.at())?)
    }

    fn step(&self, number: usize) -> &'a RecordedStep {
        &self.recording.steps()[number]
    }

    fn line(&self, step: usize) -> u32 {
        self.program.line(self.step(step).pc)
    }

    fn depth(&self, step: usize) -> u64 {
        self.recording.depth(self.step(step).frame)
    }

    /// Moves to the state before a step of the block, and follows the warp that takes it.
    pub fn go(&mut self, step: usize) {
        self.state.go(step);
        if let Some(next) = self.recording.steps().get(step) {
            self.warp = next.warp;
        }
    }

    /// Moves one instruction of the warp forward or back.
    pub fn step_instruction(&mut self, forward: bool) -> Stop {
        let found = match forward {
            true => self.next_of(self.warp, self.at()).and_then(|here| self.next_of(self.warp, here + 1)),
            false => self.before(self.warp, self.at()),
        };
        self.arrive(found, forward)
    }

    fn arrive(&mut self, found: Option<usize>, forward: bool) -> Stop {
        match found {
            Some(step) => {
                self.state.go(step);
                Stop::There
            }
            None if forward => {
                self.state.go(self.steps());
                Stop::End
            }
            None => {
                self.go_to_next_step();
                Stop::Beginning
            }
        }
    }

    /// Returns whether a step differs from its warp's previous step in line, lanes or call frame.
    fn is_new(&self, step: usize, before: usize) -> bool {
        let (this, other) = (self.step(step), self.step(before));
        let line = self.line(step);
        line != 0 && (line != self.line(before) || this.frame != other.frame || this.lanes != other.lanes)
    }

    /// Moves to the warp's next line or to the previous one; `over` steps over function calls.
    pub fn step_line(&mut self, forward: bool, over: bool) -> Stop {
        let Some(here) = self.next_of(self.warp, self.at()).or_else(|| self.before(self.warp, self.at()))
        else {
            return if forward { Stop::End } else { Stop::Beginning };
        };
        let depth = self.depth(here);
        let enters = |step: usize| over && self.depth(step) > depth;
        if forward {
            let found = self.find(here, true, |next| self.is_new(*next, here) && !enters(*next));
            return self.arrive(found, true);
        }
        // First back to the start of the current line, if it was begun; otherwise to the start of the previous
        // line.
        let Some(mut step) = self.before(self.warp, self.at()) else { return self.arrive(None, false) };
        while enters(step) {
            match self.before(self.warp, step) {
                Some(before) => step = before,
                None => break,
            }
        }
        while let Some(before) = self.before(self.warp, step) {
            if self.is_new(step, before) && !enters(step) {
                break;
            }
            step = before;
        }
        self.arrive(Some(step), false)
    }

    /// Moves forward until the current function has returned, or back to its call.
    pub fn finish(&mut self, forward: bool) -> Stop {
        let here = self.next_of(self.warp, self.at());
        // A warp that has left the kernel is in no function: going back leads to its last step.
        let Some(here) = here else {
            let last = if forward { None } else { self.before(self.warp, self.at()) };
            return self.arrive(last, forward);
        };
        let depth = self.depth(here);
        self.arrive(self.find(here, forward, |step| self.depth(*step) < depth), forward)
    }

    /// Moves to the next step of any warp at a breakpoint, or to the previous one.
    pub fn continue_to_breakpoint(&mut self, forward: bool) -> Stop {
        let mut step = self.at();
        loop {
            let next = match forward {
                true => Some(step + 1).filter(|next| *next < self.steps()),
                false => step.checked_sub(1),
            };
            let Some(next) = next else {
                self.state.go(if forward { self.steps() } else { 0 });
                return self.arrive(None, forward);
            };
            step = next;
            if let Some(number) = self.breakpoint_at(step) {
                self.go(step);
                return Stop::Breakpoint(number);
            }
        }
    }

    /// Returns whether a step is the first on its line: the warp comes from another line, or from the loop's end,
    /// or with other lanes.
    fn enters_line(&self, step: usize) -> bool {
        let before = self.before[step];
        if before == NONE {
            return true;
        }
        let (this, before_it) = (self.step(step), self.step(before as usize));
        self.is_new(step, before as usize) || (this.frame == before_it.frame && this.pc <= before_it.pc)
    }

    /// Returns whether a step begins a line: another one than that of its warp's previous step, the same line
    /// again, or the same one with other lanes.
    pub fn begins_line(&self, step: usize) -> bool {
        self.line(step) != 0 && self.enters_line(step)
    }

    /// Returns the breakpoint that a step stops at.
    fn breakpoint_at(&mut self, step: usize) -> Option<u32> {
        let line = self.line(step);
        let found = |breakpoint: &Breakpoint| breakpoint.line == line;
        if line == 0 || !self.breakpoints.iter().any(found) || !self.enters_line(step) {
            return None;
        }
        let numbers: Vec<usize> =
            (0..self.breakpoints.len()).filter(|n| found(&self.breakpoints[*n])).collect();
        for number in numbers {
            let breakpoint = self.breakpoints[number].clone();
            let Some(condition) = breakpoint.condition else { return Some(breakpoint.number) };
            self.state.go(step);
            let its = self.step(step);
            let holds = (0..32).filter(|lane| its.lanes >> lane & 1 != 0).any(|lane| {
                let thread = Thread { warp: its.warp, lane, pc: its.pc, frame: its.frame };
                let value = condition.value(self.program, &self.state, thread);
                matches!(value, Ok(Shown::Value(value)) if value.is_true() == Some(true))
            });
            if holds {
                return Some(breakpoint.number);
            }
        }
        None
    }

    /// Sets a breakpoint at a line, or at the next one that has code, and returns it.
    ///
    /// # Errors
    /// No such line has code, or there are too many breakpoints.
    pub fn add_breakpoint(
        &mut self,
        line: u32,
        condition: Option<Expression>,
    ) -> Result<&Breakpoint, NoBreakpoint> {
        if self.breakpoints.len() >= MAX_BREAKPOINTS {
            return Err(NoBreakpoint::TooMany);
        }
        let line = self.lines().into_iter().find(|has| *has >= line).ok_or(NoBreakpoint::NoCode)?;
        self.last_number += 1;
        self.breakpoints.push(Breakpoint { number: self.last_number, line, condition });
        Ok(self.breakpoints.last().expect("it was pushed"))
    }

    /// Removes one breakpoint, or all. Returns whether there was any.
    pub fn remove_breakpoint(&mut self, number: Option<u32>) -> bool {
        let count = self.breakpoints.len();
        self.breakpoints.retain(|breakpoint| number.is_some_and(|number| number != breakpoint.number));
        self.breakpoints.len() < count
    }

    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// Returns the lines that the block's warps reached, in ascending order.
    pub fn lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> =
            self.recording.steps().iter().map(|step| self.program.line(step.pc)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines.retain(|line| *line != 0);
        lines
    }

    /// Returns where a lane is; `None` if there is no such thread, or if it never ran.
    pub fn place(&self, warp: u32, lane: u32) -> Option<LanePlace> {
        let lanes = *self.recording.warps().get(warp as usize)?;
        if lane >= 32 || lanes >> lane & 1 == 0 {
            return None;
        }
        let has = |step: &usize| self.step(*step).lanes >> lane & 1 != 0;
        let (mut after, mut before) = self.steps_around(warp, self.at());
        let (next, last) = (after.find(has), before.find(has));
        let at_barrier = last.filter(|last| self.program.symbols.flow(self.step(*last).pc) == Flow::Barrier);
        let waits = at_barrier.filter(|last| !self.is_released(*last, warp, lane));
        let of = |step: usize, way: LaneState| LanePlace {
            pc: self.step(step).pc,
            frame: self.step(step).frame,
            way,
        };
        Some(match (waits, next, last) {
            (Some(barrier), Some(_), _) => of(barrier, LaneState::Waits),
            (Some(barrier), None, _) if self.recording.is_cut() => of(barrier, LaneState::Waits),
            (Some(barrier), None, _) => of(barrier, LaneState::Deadlocked),
            (None, Some(next), _) => of(next, LaneState::Runs),
            (None, None, Some(last)) => {
                let left = matches!(self.program.symbols.flow(self.step(last).pc), Flow::Exit | Flow::Return);
                of(last, if left { LaneState::Left } else { LaneState::Stopped })
            }
            // It never ran, so nothing about it is known.
            (None, None, None) => return None,
        })
    }

    /// Returns whether the barrier that a lane arrived at in a step has released it by now.
    fn is_released(&self, barrier: usize, warp: u32, lane: u32) -> bool {
        let releases = self.recording.releases();
        let from = releases.partition_point(|release| release.step <= barrier);
        let of_lane = |lanes: Option<(u32, u32)>| {
            lanes.is_none_or(|(its, lanes)| its == warp && lanes >> lane & 1 != 0)
        };
        releases[from..]
            .iter()
            .take_while(|release| release.step <= self.at())
            .any(|release| of_lane(release.lanes))
    }

    /// Groups the lanes of a warp by where they are: those that run next first.
    pub fn groups(&self, warp: u32) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for lane in 0..32 {
            let Some(place) = self.place(warp, lane) else { continue };
            match groups.iter_mut().find(|group| group.place == place) {
                Some(group) => group.lanes |= 1 << lane,
                None => groups.push(Group { lanes: 1 << lane, place }),
            }
        }
        let next = self.next_of(warp, self.at()).map(|step| self.step(step).lanes);
        groups.sort_by_key(|group| (Some(group.lanes) != next, group.place.way, group.place.pc));
        groups
    }

    /// Returns where the lanes of the next step go if they diverge there: lanes, and line (0 if unknown).
    pub fn divergence(&self) -> Vec<(u32, u32)> {
        let Some(number) = self.next_of(self.warp, self.at()) else { return Vec::new() };
        let step = self.step(number);
        if self.program.symbols.flow(step.pc) != Flow::Branch {
            return Vec::new();
        }
        let mut ways: Vec<(u32, u32)> = Vec::new();
        let mut left = step.lanes;
        for next in self.steps_around(self.warp, number + 1).0 {
            let next = self.step(next);
            let lanes = next.lanes & left;
            if lanes == 0 {
                continue;
            }
            left &= !lanes;
            ways.push((lanes, next.pc));
            if left == 0 {
                break;
            }
        }
        // Lanes that take the same way may run it in two steps.
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (lanes, pc) in ways {
            match joined.iter_mut().find(|(_, known)| *known == pc) {
                Some((known, _)) => *known |= lanes,
                None => joined.push((lanes, pc)),
            }
        }
        if joined.len() < 2 || step.taken == step.lanes || step.taken == 0 {
            return Vec::new();
        }
        joined.into_iter().map(|(lanes, pc)| (lanes, self.program.line(pc))).collect()
    }

    fn thread(&self, warp: u32, lane: u32) -> Option<Thread> {
        let place = self.place(warp, lane)?;
        // A thread that has left sees no variables, only memory.
        let pc = if place.way == LaneState::Left { u32::MAX } else { place.pc };
        Some(Thread { warp, lane, pc, frame: place.frame })
    }

    /// Evaluates an expression for a thread.
    ///
    /// # Errors
    /// The expression has no meaning for any thread.
    pub fn value(&self, expression: &Expression, warp: u32, lane: u32) -> Result<Shown, ExpressionError> {
        match self.thread(warp, lane) {
            Some(thread) => expression.value(self.program, &self.state, thread),
            None => Ok(Shown::NotHere),
        }
    }

    /// Returns the variables visible to the followed warp's next step.
    pub fn variables(&self) -> Vec<&'a Variable> {
        let stays = || self.groups(self.warp).into_iter().find(|group| group.place.way != LaneState::Left);
        let pc = self.here().map(|step| step.pc).or_else(|| Some(stays()?.place.pc));
        pc.map_or(Vec::new(), |pc| self.program.variables.all_visible(pc))
    }

    /// Returns the value of a variable for a thread.
    pub fn variable(&self, variable: &Variable, warp: u32, lane: u32) -> Shown {
        let Some(thread) = self.thread(warp, lane) else { return Shown::NotHere };
        if !variable.scope.contains(&thread.pc) {
            return Shown::NotHere;
        }
        evaluate::variable(self.program, &self.state, thread, variable)
    }

    /// Returns the registers of the followed warp's current function that have a value in at least one lane.
    pub fn all_registers(&self) -> Vec<(String, Vec<Shown>)> {
        let Some(step) = self.here() else { return Vec::new() };
        let symbols = self.program.symbols;
        let Some(function) = symbols.function_at(step.pc) else { return Vec::new() };
        let held = symbols.registers(function).into_iter().filter_map(|(name, register)| {
            let value = |lane| {
                let thread = Thread { warp: self.warp, lane, pc: step.pc, frame: step.frame };
                evaluate::register(&self.state, thread, register)
            };
            let values: Vec<Shown> = (0..32).map(value).collect();
            values.iter().any(|value| matches!(value, Shown::Value(_))).then_some((name, values))
        });
        held.collect()
    }

    /// Returns an element of a shared array, by its linear index.
    pub fn shared_element(&self, array: &MemoryArray, element: u64) -> Shown {
        let each = array.element().bytes();
        let stored = self.state.shared(array.start + element * each, each.min(8) as u32);
        match stored {
            None => Shown::Outside,
            Some(stored) if !stored.written => Shown::NoValue,
            Some(stored) => Value::of_bits(stored.bits, array.element()).map_or(Shown::NotKept, Shown::Value),
        }
    }

    /// Returns the bits of `bytes` bytes of shared memory; `None` where there is no such memory.
    pub fn shared(&self, offset: u64, bytes: u32) -> Option<Shown> {
        let stored = self.state.shared(offset, bytes)?;
        let value = Value::Bits { bits: stored.bits, bytes };
        Some(if stored.written { Shown::Value(value) } else { Shown::NoValue })
    }
}
