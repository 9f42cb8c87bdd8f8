//! The lanes of warps in rows: where they are at a barrier, or which way they take at a branch.

use super::scene::{Align, Scene, Tone, count};
use serde::{Deserialize, Serialize};
use sim::BarrierPosition;

/// Where the threads of a block are at a barrier that not all of them reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtBarrier {
    /// Each place with the lanes that are there, as one mask per warp of the block.
    pub places: Vec<(BarrierPosition, Vec<u32>)>,
}

/// The two ways that the lanes of a warp take at a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ways {
    /// Line of the branch; 0 where it is not known.
    pub line: u32,
    /// For each way the mask of its lanes, and the line that they continue at.
    pub ways: [(u32, Option<u32>); 2],
}

const LANES: usize = 32;
/// Maximum number of rows drawn.
const MAX_ROWS: usize = 6;
/// Tones for the threads of each barrier, in order; then the tone for threads that have ended.
const AT_BARRIERS: [Tone; 4] = [Tone::Used, Tone::Write, Tone::Copy, Tone::Clash];
const ENDED: Tone = Tone::Wasted;

/// Width of the row labels, and the gap between groups of eight lanes.
#[derive(Clone, Copy)]
struct Layout {
    name: f64,
    gap: f64,
}

impl Layout {
    fn of(columns: usize, name: usize) -> Layout {
        let gap = if columns >= name + LANES + 3 { 1.0 } else { 0.0 };
        Layout { name: name as f64, gap }
    }

    fn at(self, lane: usize) -> f64 {
        self.name + lane as f64 + self.gap * (lane / 8) as f64
    }

    fn head(self, scene: &mut Scene) {
        for lane in (0..LANES).step_by(8) {
            scene.label((self.at(lane), 0.0), lane.to_string());
        }
    }

    fn row(self, scene: &mut Scene, y: f64, mask: u32, tone: Tone) {
        for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
            scene.cell((self.at(lane), y), 1.0, tone, "");
        }
    }
}

impl AtBarrier {
    fn tones(&self) -> Vec<Tone> {
        let mut barriers = AT_BARRIERS.into_iter();
        let tone = |(stand, _): &(BarrierPosition, Vec<u32>)| match stand {
            BarrierPosition::Ended => ENDED,
            BarrierPosition::Barrier { .. } => barriers.next().unwrap_or(Tone::Clash),
        };
        self.places.iter().map(tone).collect()
    }

    /// Groups successive warps that look alike; returns the first and last warp of each group.
    fn runs(&self) -> Vec<(usize, usize)> {
        let warps = self.places.iter().map(|(_, warps)| warps.len()).max().unwrap_or(0);
        let masks = |warp: usize| -> Vec<u32> {
            self.places.iter().map(|(_, warps)| warps.get(warp).copied().unwrap_or(0)).collect()
        };
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for warp in 0..warps {
            match runs.last_mut() {
                Some((first, last)) if masks(*first) == masks(warp) => *last = warp,
                _ => runs.push((warp, warp)),
            }
        }
        runs
    }

    /// Describes the threads of each place, with their number.
    fn sentences(&self) -> Vec<String> {
        let sentence = |(stand, warps): &(BarrierPosition, Vec<u32>)| {
            let count: u32 = warps.iter().map(|mask| mask.count_ones()).sum();
            let (wait, have) = if count == 1 { ("waits", "has") } else { ("wait", "have") };
            match stand {
                BarrierPosition::Barrier { line: Some(line) } => {
                    format!("{count} {wait} at the barrier in line {line}")
                }
                BarrierPosition::Barrier { line: None } => format!("{count} {wait} at the barrier"),
                BarrierPosition::Ended => format!("{count} {have} left the kernel"),
            }
        };
        self.places.iter().map(sentence).collect()
    }

    /// Draws a row for each warp, or for each group of warps that look alike, with a legend.
    pub(crate) fn scene(&self, columns: usize) -> Scene {
        let runs = self.runs();
        let narrow = columns < 10 + LANES;
        let name = |(first, last): &(usize, usize)| match (first == last, narrow) {
            (true, true) => first.to_string(),
            (true, false) => format!("warp {first}"),
            (false, true) => format!("{first}-{last}"),
            (false, false) => format!("warps {first}-{last}"),
        };
        let names: Vec<String> = runs.iter().take(MAX_ROWS).map(name).collect();
        let widest = names.iter().map(|name| name.len()).max().unwrap_or(0).max(4);
        let layout = Layout::of(columns, if narrow { 4.max(widest) } else { widest + 2 });
        let mut scene = Scene::new("Where the threads of the block are");
        let sentences = self.sentences();
        let all: u32 = self.places.iter().flat_map(|(_, warps)| warps).map(|mask| mask.count_ones()).sum();
        scene.words = format!("Of {all} threads of the block, {}.", sentences.join(", "));
        scene.label((0.0, 0.0), if narrow { "warp" } else { "lane" });
        layout.head(&mut scene);
        let tones = self.tones();
        for (n, ((warp, _), name)) in runs.iter().zip(names).enumerate() {
            let y = 1.0 + n as f64;
            scene.label((0.0, y), name);
            for ((_, warps), tone) in self.places.iter().zip(&tones) {
                layout.row(&mut scene, y, warps.get(*warp).copied().unwrap_or(0), *tone);
            }
        }
        if runs.len() > MAX_ROWS {
            let y = scene.height;
            let more = format!("… and {} rows more", runs.len() - MAX_ROWS);
            scene.label((0.0, y), more);
        }
        for (sentence, tone) in sentences.into_iter().zip(tones) {
            let y = scene.height;
            scene.cell((0.0, y), 1.0, tone, "");
            scene.text((2.0, y), Align::Start, Tone::Plain, sentence);
        }
        scene
    }
}

impl Ways {
    /// Draws a row for each way.
    pub(crate) fn scene(&self, columns: usize) -> Scene {
        let mut scene = Scene::new("Which lanes of a warp go which way");
        let narrow = columns < "line 100  ".len() + LANES;
        let name = |line: Option<u32>| match line {
            Some(line) if narrow => line.to_string(),
            Some(line) => format!("line {line}"),
            None => "on".to_owned(),
        };
        let names = self.ways.map(|(_, line)| name(line));
        let widest = names.iter().map(String::len).max().unwrap_or(0).max(if narrow { 3 } else { 4 });
        let layout = Layout::of(columns, widest + if narrow { 1 } else { 2 });
        let sentence = |(mask, line): (u32, Option<u32>)| {
            let place = line.map_or("go on".to_owned(), |line| format!("go to line {line}"));
            format!("{} {place}", count(mask.count_ones().into(), "lane", "lanes"))
        };
        let [one, two] = self.ways.map(sentence);
        let at = if self.line > 0 { format!("At line {}", self.line) } else { "Here".to_owned() };
        scene.words = format!(
            "{at}, in the first warp that split, {one} and {two}: the warp takes the two ways one after the other."
        );
        scene.label((0.0, 0.0), if narrow { "" } else { "lane" });
        layout.head(&mut scene);
        for (n, ((mask, _), name)) in self.ways.iter().zip(names).enumerate() {
            let y = 1.0 + n as f64;
            scene.label((0.0, y), name);
            layout.row(&mut scene, y, self.ways[1 - n].0, Tone::Wasted);
            layout.row(&mut scene, y, *mask, Tone::Used);
        }
        scene.cell((0.0, 3.0), 1.0, Tone::Used, "");
        scene.text((2.0, 3.0), Align::Start, Tone::Plain, "go there");
        scene.cell((12.0, 3.0), 1.0, Tone::Wasted, "");
        scene.text((14.0, 3.0), Align::Start, Tone::Plain, "wait meanwhile");
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(scene: &Scene, columns: usize) -> Vec<String> {
        let lines = scene.plain_lines();
        assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:#?}");
        lines
    }

    #[test]
    fn threads_stand_at_the_barrier_or_have_ended() {
        let waiting = (BarrierPosition::Barrier { line: Some(11) }, vec![0x003f_ffff, 0, 0, 0]);
        let ended = (BarrierPosition::Ended, vec![!0x003f_ffff, u32::MAX, u32::MAX, u32::MAX]);
        let stands = AtBarrier { places: vec![waiting, ended] };
        let scene = stands.scene(76);
        assert_eq!(
            scene.words,
            "Of 128 threads of the block, 22 wait at the barrier in line 11, 106 have left the kernel."
        );
        assert_eq!(
            lines(&scene, 76),
            [
                "lane       0        8        16       24",
                "warp 0     ■■■■■■■■ ■■■■■■■■ ■■■■■■·· ········",
                "warps 1-3  ········ ········ ········ ········",
                "■ 22 wait at the barrier in line 11",
                "· 106 have left the kernel",
            ]
        );
        lines(&stands.scene(36), 36);
    }

    #[test]
    fn lanes_go_two_ways() {
        let ways = Ways { line: 13, ways: [(0x5555_5555, Some(17)), (0x00aa_aaaa, Some(14))] };
        lines(&ways.scene(36), 36);
        let lines = lines(&ways.scene(76), 76);
        assert_eq!(lines[1], "line 17  ■·■·■·■· ■·■·■·■· ■·■·■·■· ■ ■ ■ ■");
        assert_eq!(lines[2], "line 14  ·■·■·■·■ ·■·■·■·■ ·■·■·■·■ · · · ·");
    }
}
