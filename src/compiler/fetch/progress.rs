//! Shows the progress of a download.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// A progress bar on a terminal; elsewhere a single line, so that a log shows what is happening.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    pub fn new(title: &str, total: u64) -> Progress {
        let head =
            format!("CUDA compiler not found: fetching {title} ({} MB, once)", total.div_ceil(1_000_000));
        if !std::io::stderr().is_terminal() {
            eprintln!("{head}");
            return Progress(None);
        }
        let bar = ProgressBar::new(total);
        let style = ProgressStyle::with_template("{msg}\n{wide_bar} {percent:>3} %")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("██░"));
        bar.set_message(head);
        bar.tick();
        Progress(Some(bar))
    }

    pub fn at(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes);
            bar.tick();
        }
    }

    pub fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.set_position(bar.length().unwrap_or(0));
            bar.abandon();
            // The bar leaves the cursor at its end.
            eprintln!();
        }
    }
}
