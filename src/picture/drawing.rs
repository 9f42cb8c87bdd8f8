//! The drawings that go with findings.

use super::extent::Extent;
use super::lanes::{AtBarrier, Ways};
use super::lifetime::Lifetime;
use super::outside::Outside;
use super::race::Race;
use super::scene::Scene;
use super::sources::Sources;
use super::streams::Unordered;
use super::written::Written;
use serde::{Deserialize, Serialize};

/// The facts of a finding's picture, from which it is drawn for the available width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Drawing {
    Race(Race),
    Outside(Outside),
    AtBarrier(AtBarrier),
    Written(Written),
    Ways(Ways),
    Sources(Sources),
    Unordered(Unordered),
    Extent(Extent),
    Lifetime(Lifetime),
}

impl Drawing {
    /// Draws the picture, at most `columns` cells wide unless its numbers need more.
    pub fn scene(&self, columns: usize) -> Scene {
        match self {
            Drawing::Race(race) => race.scene(columns),
            Drawing::Outside(outside) => outside.scene(columns),
            Drawing::AtBarrier(stands) => stands.scene(columns),
            Drawing::Written(written) => written.scene(columns),
            Drawing::Ways(ways) => ways.scene(columns),
            Drawing::Sources(sources) => sources.scene(columns),
            Drawing::Unordered(unordered) => unordered.scene(columns),
            Drawing::Extent(extent) => extent.scene(columns),
            Drawing::Lifetime(lifetime) => lifetime.scene(columns),
        }
    }
}
