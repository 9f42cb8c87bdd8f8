//! The compute capability that a lesson needs.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A compute capability such as `"8.0"`, or `"9.0a"` with its architecture-specific features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ComputeCapability {
    pub major: u32,
    pub minor: u32,
    /// Written with an `a`: code for it runs on no other architecture.
    pub specific: bool,
}

impl ComputeCapability {
    /// Returns whether a GPU with compute capability `gpu` runs code that needs this one.
    pub fn runs_on(&self, gpu: (u32, u32)) -> bool {
        let own = (self.major, self.minor);
        if self.specific { own == gpu } else { own <= gpu }
    }
}

/// The compute capabilities for which some release of NVRTC compiles: <https://docs.nvidia.com/cuda/nvrtc>,
/// `--gpu-architecture`.
const CAPABILITIES: [(u32, u32); 19] = [
    (5, 0),
    (5, 2),
    (5, 3),
    (6, 0),
    (6, 1),
    (6, 2),
    (7, 0),
    (7, 2),
    (7, 5),
    (8, 0),
    (8, 6),
    (8, 7),
    (8, 9),
    (9, 0),
    (10, 0),
    (10, 1),
    (10, 3),
    (12, 0),
    (12, 1),
];

impl Default for ComputeCapability {
    fn default() -> Self {
        ComputeCapability { major: 8, minor: 0, specific: false }
    }
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}{}", self.major, self.minor, if self.specific { "a" } else { "" })
    }
}

impl<'de> Deserialize<'de> for ComputeCapability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let specific = text.ends_with('a');
        text.strip_suffix('a')
            .unwrap_or(&text)
            .split_once('.')
            .and_then(|(major, minor)| {
                let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
                Some(ComputeCapability { major, minor, specific })
            })
            .filter(|capability| CAPABILITIES.contains(&(capability.major, capability.minor)))
            .filter(|capability| !specific || (capability.major, capability.minor) == (9, 0))
            .filter(|capability| capability.to_string() == text)
            .ok_or_else(|| {
                let known: Vec<_> =
                    CAPABILITIES.iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
                D::Error::custom(format!(
                    "no such compute capability; there are: {} and 9.0a",
                    known.join(", ")
                ))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::ComputeCapability;
    use std::collections::HashMap;

    fn parsed(text: &str) -> Option<ComputeCapability> {
        let table: HashMap<String, ComputeCapability> = toml::from_str(&format!("is = \"{text}\"")).ok()?;
        table.get("is").copied()
    }

    #[test]
    fn what_hopper_alone_has_runs_on_hopper_alone() {
        let (plain, specific) = (parsed("9.0").unwrap(), parsed("9.0a").unwrap());
        assert_eq!([plain.to_string(), specific.to_string()], ["9.0", "9.0a"]);
        for (gpu, plainly, specifically) in
            [((8, 9), false, false), ((9, 0), true, true), ((10, 0), true, false)]
        {
            assert_eq!((plain.runs_on(gpu), specific.runs_on(gpu)), (plainly, specifically), "{gpu:?}");
        }
        for text in ["8.0a", "9.0b", "9.0aa", "9a", "a", "", "99.9", "8.05", "08.0", "+8.0", "8.1", "4.0"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
