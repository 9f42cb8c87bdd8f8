//! A recording line by line: where its warps stop, and what changed at each stop. A page can show it without the
//! recording.

use crate::program::Program;
use crate::session::{Group, Session};
use crate::value::Shown;
use crate::variables::Variable;
use sim::Recording;

/// A warp before a line, or the end of the run.
#[derive(Clone, Debug)]
pub struct WalkStop {
    /// Number of the block's steps that have been taken.
    pub step: usize,
    pub warp: u32,
    /// The lanes that run the line.
    pub lanes: u32,
    pub line: u32,
    /// Where the lanes go from a branch at which they diverge: lanes, and line.
    pub divergence: Vec<(u32, u32)>,
    /// The visible variables, as indices into [`Walk::variables`].
    pub seen: Vec<usize>,
    /// Variables whose values differ from the warp's last stop, with one value per lane.
    pub values: Vec<(usize, Vec<Shown>)>,
    /// Elements of shared arrays that have changed since the last stop: array, element, value.
    pub shared: Vec<(usize, usize, Shown)>,
    /// Warps whose lanes have moved since the last stop.
    pub groups: Vec<(u32, Vec<Group>)>,
}

/// All stops of a block, up to a limit.
#[derive(Debug)]
pub struct Walk<'a> {
    pub variables: Vec<&'a Variable>,
    pub stops: Vec<WalkStop>,
    /// Whether there are more stops than were asked for.
    pub is_cut: bool,
}

/// Maximum number of elements tracked per shared array.
pub const MAX_SHARED: u64 = 1024;

impl<'a> Walk<'a> {
    /// Walks through a recording, up to `most_stops` stops. `goes_on` is called after each stop and returns
    /// whether there is room for more.
    pub fn new(
        program: &'a Program<'a>,
        recording: &'a Recording,
        most_stops: usize,
        mut goes_on: impl FnMut(&WalkStop, &Session) -> bool,
    ) -> Walk<'a> {
        let mut session = Session::new(program, recording, 0);
        let mut walk = Walk { variables: Vec::new(), stops: Vec::new(), is_cut: false };
        let warps = recording.warps().len();
        let mut known = Known {
            values: vec![Vec::new(); warps],
            shared: vec![Vec::new(); program.shared.len()],
            groups: vec![Vec::new(); warps],
            releases: 0,
            last_warp: None,
        };
        let starts: Vec<usize> = (0..session.steps()).filter(|step| session.begins_line(*step)).collect();
        let end = session.steps();
        for step in starts.into_iter().chain([end]) {
            if walk.stops.len() >= most_stops {
                walk.is_cut = true;
                break;
            }
            session.go(step);
            let stop = walk.stop(&session, &mut known);
            let goes_on = goes_on(&stop, &session);
            walk.stops.push(stop);
            if !goes_on {
                walk.is_cut = step != end;
                break;
            }
        }
        walk
    }

    fn number(&mut self, variable: &'a Variable) -> usize {
        let known = self.variables.iter().position(|known| std::ptr::eq(*known, variable));
        known.unwrap_or_else(|| {
            self.variables.push(variable);
            self.variables.len() - 1
        })
    }

    fn stop(&mut self, session: &Session<'a>, known: &mut Known) -> WalkStop {
        let warp = session.warp();
        let here = session.here().filter(|_| session.at() < session.steps());
        let line = here.map_or(0, |step| session.program().line(step.pc));
        let variables = session.variables();
        let seen: Vec<usize> = variables.iter().map(|variable| self.number(variable)).collect();
        let mut values = Vec::new();
        let held = &mut known.values[warp as usize];
        held.resize(held.len().max(self.variables.len()), Vec::new());
        for (number, variable) in seen.iter().zip(variables) {
            let now: Vec<Shown> = (0..32).map(|lane| session.variable(variable, warp, lane)).collect();
            if held[*number] != now {
                held[*number].clone_from(&now);
                values.push((*number, now));
            }
        }
        WalkStop {
            step: session.at(),
            warp,
            lanes: here.map_or(0, |step| step.lanes),
            line,
            divergence: session.divergence(),
            seen,
            values,
            shared: known.changed_shared(session),
            groups: known.changed_groups(session),
        }
    }
}

/// The state as of the stops so far.
struct Known {
    values: Vec<Vec<Vec<Shown>>>,
    shared: Vec<Vec<Shown>>,
    groups: Vec<Vec<Group>>,
    releases: usize,
    last_warp: Option<u32>,
}

impl Known {
    fn changed_shared(&mut self, session: &Session) -> Vec<(usize, usize, Shown)> {
        let mut changed = Vec::new();
        for (number, array) in session.program().shared.iter().enumerate() {
            let held = &mut self.shared[number];
            for element in 0..array.count().min(MAX_SHARED) as usize {
                let now = session.shared_element(array, element as u64);
                if held.len() <= element {
                    held.push(Shown::NoValue);
                }
                if held[element] != now {
                    held[element] = now.clone();
                    changed.push((number, element, now));
                }
            }
        }
        changed
    }

    fn changed_groups(&mut self, session: &Session) -> Vec<(u32, Vec<Group>)> {
        let released = session.recording().releases().partition_point(|release| release.step <= session.at());
        let all = self.last_warp.is_none() || std::mem::replace(&mut self.releases, released) != released;
        let warps = 0..self.groups.len() as u32;
        let asked = [self.last_warp.replace(session.warp()), Some(session.warp())];
        let ends = session.at() == session.steps();
        let mut changed = Vec::new();
        for warp in warps.filter(|warp| all || ends || asked.contains(&Some(*warp))) {
            let now = session.groups(warp);
            if self.groups[warp as usize] != now {
                self.groups[warp as usize].clone_from(&now);
                changed.push((warp, now));
            }
        }
        changed
    }
}
