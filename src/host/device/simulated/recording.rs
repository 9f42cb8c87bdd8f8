//! One block of one launch of a program, recorded for a debugger.

use sim::{Finding, LaunchConfig, RecordRequest, Recording, Report};

/// What to record.
#[derive(Clone, Copy, Debug)]
pub struct LaunchToRecord {
    /// Its number among the launches of the program, from 0, in the order in which they are run.
    pub launch: usize,
    pub request: RecordRequest,
}

/// A launch of which a block was to be recorded.
#[derive(Clone, Debug)]
pub struct RecordedLaunch {
    /// The kernel, by its number in the module.
    pub kernel: u32,
    pub config: LaunchConfig,
    /// `None` where the launch ended before the block began.
    pub recording: Option<Box<Recording>>,
    pub findings: Vec<Finding>,
}

/// Launches as they are counted.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// How many were run.
    launches: usize,
    pub wanted: Option<LaunchToRecord>,
    pub made: Option<RecordedLaunch>,
    /// The first launch in which something was found.
    pub first_found: Option<usize>,
}

impl Recorder {
    /// What to record of the launch that is next.
    pub fn request(&self) -> Option<RecordRequest> {
        self.wanted.filter(|wanted| wanted.launch == self.launches).map(|wanted| wanted.request)
    }

    /// Takes note of the launch that is through.
    pub fn launched(&mut self, kernel: u32, config: LaunchConfig, report: &mut Report) {
        if !report.findings.is_empty() {
            self.first_found.get_or_insert(self.launches);
        }
        if self.request().is_some() {
            self.made = Some(RecordedLaunch {
                kernel,
                config,
                recording: report.recording.take(),
                findings: report.findings.clone(),
            });
        }
        self.launches += 1;
    }
}
