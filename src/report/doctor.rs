//! The report of `gpulearn doctor`: what this machine has and lacks.

use super::layout::{pad, text_width, wrap};
use super::{Style, escape, paint};
use serde::Serialize;

/// What this machine has and lacks.
#[derive(Clone, Debug, Serialize)]
pub struct DoctorView {
    /// Whether no check is [`Health::Bad`].
    pub ok: bool,
    pub checks: Vec<Check>,
}

/// One thing that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Empty until [`Check::named`].
    pub name: &'static str,
    pub health: Health,
    /// What was found.
    pub text: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    Good,
    /// Worth knowing, but everything works.
    Note,
    Bad,
}

impl Check {
    fn new(health: Health, text: impl Into<String>) -> Self {
        Check { name: "", health, text: text.into(), action: None }
    }

    pub fn good(text: impl Into<String>) -> Self {
        Check::new(Health::Good, text)
    }

    pub fn note(text: impl Into<String>) -> Self {
        Check::new(Health::Note, text)
    }

    pub fn bad(text: impl Into<String>) -> Self {
        Check::new(Health::Bad, text)
    }

    pub fn named(self, name: &'static str) -> Self {
        Check { name, ..self }
    }

    /// Adds what to do about it.
    pub fn action(self, action: impl Into<String>) -> Self {
        Check { action: Some(action.into()), ..self }
    }
}

impl DoctorView {
    pub fn new(checks: Vec<Check>) -> Self {
        DoctorView { ok: checks.iter().all(|c| c.health != Health::Bad), checks }
    }
}

/// Renders the checks, one or a few lines each.
pub fn doctor(view: &DoctorView, style: &Style) -> String {
    let name = view.checks.iter().map(|c| text_width(c.name)).max().unwrap_or(0);
    let mut out = String::new();
    for check in &view.checks {
        let (mark, colour): (&str, fn(&str) -> String) = match check.health {
            Health::Good => ("✓", paint::good),
            Health::Note => ("·", paint::accent),
            Health::Bad => ("✗", paint::bad),
        };
        let indent = 2 + name + 2;
        let lines = wrap(&escape(&check.text), style.width, indent);
        let first = lines.first().map_or("", |l| l.trim_start());
        out += &format!("{} {}  {first}\n", colour(mark), pad(check.name, name));
        for line in lines.iter().skip(1) {
            out += &format!("{line}\n");
        }
        if let Some(action) = &check.action {
            for line in wrap(&format!("→ {}", escape(action)), style.width, indent) {
                out += &format!("{}\n", paint::accent(&line));
            }
        }
    }
    out
}
