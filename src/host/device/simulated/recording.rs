//! Records one block of one of a program's launches, for a debugger.

use sim::{Finding, LaunchConfig, RecordRequest, Recording, Report};

/// Selects the launch and the block to record.
#[derive(Clone, Copy, Debug)]
pub struct LaunchToRecord {
    /// Number of the launch among the program's launches, from 0, in the order of execution.
    pub launch: usize,
    pub request: RecordRequest,
}

/// A launch of which a block was to be recorded.
#[derive(Clone, Debug)]
pub struct RecordedLaunch {
    /// The kernel, by its number in the module.
    pub kernel: u32,
    pub config: LaunchConfig,
    /// `None` if the launch ended before the block began.
    pub recording: Option<Box<Recording>>,
    pub findings: Vec<Finding>,
}

/// Counts launches, and keeps the recording.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// Number of launches executed.
    launches: usize,
    pub wanted: Option<LaunchToRecord>,
    pub made: Option<RecordedLaunch>,
    /// The first launch with a finding.
    pub first_found: Option<usize>,
}

impl Recorder {
    /// Returns what to record of the next launch.
    pub fn request(&self) -> Option<RecordRequest> {
        self.wanted.filter(|wanted| wanted.launch == self.launches).map(|wanted| wanted.request)
    }

    /// Records that a launch has completed.
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
