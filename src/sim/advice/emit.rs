//! From what was tallied to advice: what is worth a word, and in which words.

use super::branches::{Branch, Split};
use super::sites::{Sample, Site, Where};
use super::values::{self, Seen};
use super::watched::{FloatOp, Watched, watched};
use super::{Advice, Advised, Cost, Details, LineAccess, Picture, PictureKind, Profile};
use crate::code::{DecodedModule, What};
use crate::engine::findings::Whereabouts;
use crate::engine::launch::LaunchContext;
use crate::finding::{Access, AccessKind, Actor, FindingKind, SourceLocation, Target};
use crate::lanes::LANES;
use crate::machine::describe::describe;
use crate::occupancy::{BlockNeeds, Limit, Multiprocessor};
use std::collections::HashMap;

/// Sectors or wavefronts more than needed, below which nothing is said.
const LEAST_EXCESS: u64 = 64;
/// Of all that a kernel moves, the part that one instruction must waste: one in so many.
const PART: u64 = 10;
/// Lane steps that idle, of all: one in so many.
const IDLE_PART: u64 = 5;
/// Splits of one branch, and lane steps that idle after them, below which nothing is said.
const LEAST_SPLITS: u64 = 4;
const LEAST_IDLE: u64 = 1 << 14;
/// Lanes at one address, on average, from which an atomic is told of.
const CROWD: u64 = 8;
/// Warps of a multiprocessor in use, in percent, below which nothing hides the waits.
const FEW_PERCENT: f64 = 50.0;

/// What to try where lanes' addresses have no rule.
const SCATTERED: &str = "Let neighbouring threads touch neighbouring elements. Where the data say which element it \
     is, only another order of the data helps.";
/// And where a loop lasts as long as its last lane.
const UNEVEN: &str =
    "Give the lanes of a warp equally many turns, or let the whole warp share the work of one lane.";

/// What is settled for, beside the details.
pub struct Asked {
    /// Registers a thread; 0: not known.
    pub registers: u32,
    pub capability: (u32, u32),
    /// Tell of differences of nearly equal values too.
    pub strict_floats: bool,
}

/// The advice of one launch, by code and place.
pub fn emit(details: &Details, launch: &LaunchContext, asked: &Asked) -> Advised {
    let mut all = Vec::new();
    let settling = Emitter { launch, details };
    for (pc, site) in settling.sites_by_line() {
        all.extend(settling.site(pc, &site));
    }
    for (pc, branch) in &details.branches {
        all.extend(settling.branch(*pc, branch));
    }
    for (pc, barrier) in &details.barriers {
        if !barrier.needed {
            let blocks = launch.grid.count().max(1);
            let each = (barrier.times / blocks).max(1);
            let times = if each == 1 { "once".to_string() } else { format!("{each} times") };
            all.push(Advice {
                label: "orders nothing".into(),
                notes: vec![format!(
                    "Each block waits here {times}, and no two threads touch the same memory on its two sides, \
                     for the sizes that ran."
                )],
                hits: barrier.times,
                cost: Cost { what: "barriers", yours: barrier.times, least: 0 },
                ..settling.plain(FindingKind::RedundantBarrier, *pc, 0, 0)
            });
        }
    }
    for ((code, pc), seen) in &details.values {
        all.extend(settling.values(*code, *pc, seen, asked));
    }
    all.extend(settling.occupancy(asked));
    all.extend(settling.local_array());
    let needed = details.barriers.iter().filter(|(_, barrier)| barrier.needed);
    let needed = needed.filter_map(|(pc, _)| launch.code.location(*pc).cloned()).collect();
    let mut advised = Advised { list: fold(all), needed, profile: settling.profile() };
    advised.join(Advised::default());
    advised
}

/// Several instructions of one line tell one story.
fn fold(all: Vec<Advice>) -> Vec<Advice> {
    let mut folded: Vec<Advice> = Vec::new();
    for advice in all {
        let same = |known: &&mut Advice| {
            known.code == advice.code
                && known.at.location.as_ref().map(|l| (&l.file, l.line))
                    == advice.at.location.as_ref().map(|l| (&l.file, l.line))
                && advice.at.location.is_some()
                // Of values the first tells enough.
                && (known.label == advice.label || advice.cost.what.is_empty())
        };
        match folded.iter_mut().find(same) {
            Some(known) => {
                known.hits += advice.hits;
                known.cost.yours += advice.cost.yours;
                known.cost.least += advice.cost.least;
            }
            None => folded.push(advice),
        }
    }
    folded.sort_by_key(|advice| advice.code);
    folded
}

struct Emitter<'a> {
    launch: &'a LaunchContext<'a>,
    details: &'a Details,
}

impl Emitter<'_> {
    /// About an instruction, without words or costs.
    fn plain(&self, code: FindingKind, pc: u32, block: u64, thread: u32) -> Advice {
        Advice {
            code,
            at: Access {
                kind: AccessKind::Read,
                actor: Actor::Thread,
                block: self.launch.grid.at(block),
                thread: self.launch.block.at(u64::from(thread)),
                location: self.launch.code.location(pc).cloned(),
                calls: self.launch.code.call_lines(pc).to_vec(),
                bytes: 0,
                target: Target::None,
            },
            label: String::new(),
            notes: Vec::new(),
            hits: 1,
            cost: Cost { what: "", yours: 0, least: 0 },
            help: code.help(),
            run: None,
            values: Vec::new(),
            picture: None,
        }
    }

    /// About a warp's access.
    fn sampled(&self, code: FindingKind, pc: u32, site: &Site, sample: &Sample, shared: bool) -> Advice {
        let lane = sample.mask.trailing_zeros() % LANES as u32;
        let place =
            if shared { Whereabouts::Shared(sample.first) } else { Whereabouts::Device(sample.first) };
        let target = describe(self.launch, place);
        let from = match &target {
            Target::Buffer { offset_bytes, .. } | Target::Constant { offset_bytes, .. } => *offset_bytes,
            _ => sample.first as i64,
        };
        let lanes = (0..LANES)
            .map(|lane| (sample.mask >> lane & 1 != 0).then(|| from.wrapping_add(sample.offsets[lane])))
            .collect();
        let kind = if shared { PictureKind::Banks } else { PictureKind::Sectors };
        let mut advice = self.plain(code, pc, sample.block, sample.warp * LANES as u32 + lane);
        advice.at.kind = match site.place {
            Where::Atomic { .. } => AccessKind::Atomic,
            _ if site.writes => AccessKind::Write,
            _ => AccessKind::Read,
        };
        advice.at.bytes = sample.width;
        advice.at.target = target;
        advice.picture = Some(Picture { kind, width: sample.width, lanes });
        advice.hits = site.requests;
        advice
    }

    /// The work by line.
    fn profile(&self) -> Profile {
        let code = self.launch.code;
        let mut profile = Profile::default();
        for (pc, count) in self.details.executed.iter().enumerate().filter(|(_, count)| **count > 0) {
            if let Some(at) = code.location(pc as u32) {
                let line = SourceLocation { column: 0, ..at.clone() };
                *profile.instructions.entry(line).or_default() += count;
            }
        }
        for (pc, site) in &self.details.sites {
            let shared = match site.place {
                Where::Shared | Where::Atomic { shared: true } => true,
                Where::Global | Where::Atomic { shared: false } => false,
                Where::Local => continue,
            };
            let Some(sample) = site.worst.as_deref() else { continue };
            let Advice { at, picture: Some(picture), .. } =
                self.sampled(FindingKind::Uncoalesced, *pc, site, sample, shared)
            else {
                continue;
            };
            let (requests, units, least) = (site.requests, site.units, site.least);
            profile.add_access(LineAccess { at, requests, units, least, picture });
        }
        profile
    }

    fn is_fragment(&self, pc: u32) -> bool {
        let code = self.launch.code;
        code.insts.get(pc as usize).is_some_and(|inst| {
            matches!(inst.what, What::Memory)
                && code.memory.get(inst.detail as usize).is_some_and(|op| op.role.fragment)
        })
    }

    /// Units of all instructions of a kind.
    fn all_units(&self, place: Where) -> u64 {
        self.details.sites.values().filter(|site| site.place == place).map(|site| site.units).sum()
    }

    /// The instructions of one line and kind together, as an unrolled loop has many, by the one with
    /// the worst access.
    fn sites_by_line(&self) -> Vec<(u32, Site)> {
        let mut lines: Vec<(u32, Site)> = Vec::new();
        let mut known: HashMap<(u32, Where, bool), usize> = HashMap::new();
        for (pc, site) in &self.details.sites {
            let line = self.launch.code.location(*pc).map_or(u32::MAX - pc, |at| at.line);
            let place = *known.entry((line, site.place, site.writes)).or_insert(lines.len());
            match lines.get_mut(place) {
                Some((of, sum)) => {
                    let worst = sum.worst.clone();
                    sum.add(site);
                    if sum.worst != worst {
                        *of = *pc;
                    }
                }
                None => lines.push((*pc, site.clone())),
            }
        }
        lines
    }

    fn site(&self, pc: u32, site: &Site) -> Option<Advice> {
        let excess = site.units.saturating_sub(site.least);
        let sample = site.worst.as_deref()?;
        let much = |all: u64| excess >= LEAST_EXCESS && excess >= all / PART && site.units >= site.least * 2;
        let cost = |what| Cost { what, yours: site.units, least: site.least };
        match site.place {
            // Which lane loads what of a matrix fragment is not the learner's choice.
            Where::Global if self.is_fragment(pc) => None,
            // Twice as many are in the nature of some accesses, such as pairs of values.
            Where::Global
                if much(self.all_units(Where::Global))
                    && (site.units > site.least * 2 || is_strided(sample)) =>
            {
                let mut advice = self.sampled(FindingKind::Uncoalesced, pc, site, sample, false);
                let lanes = sample.mask.count_ones();
                let sectors = sectors_of(sample);
                let would = sectors.saturating_sub(sample.excess);
                advice.label = format!("{lanes} threads, {sectors} sectors; {would} would do");
                let how = match stride(sample) {
                    Some(stride) => format!("Neighbouring threads are {} bytes apart", stride.unsigned_abs()),
                    None => {
                        advice.help = SCATTERED;
                        "The threads' addresses are scattered".into()
                    }
                };
                let verb = if site.writes { "stores" } else { "loads" };
                advice.notes = vec![format!(
                    "{how}: {} {verb}, each by a warp of 32 threads, move {} sectors of 32 bytes, where {} would do.",
                    site.requests, site.units, site.least
                )];
                advice.cost = cost("sectors");
                Some(advice)
            }
            Where::Shared if much(self.all_units(Where::Shared)) => {
                let mut advice = self.sampled(FindingKind::BankConflict, pc, site, sample, true);
                let (bank, lanes) = busiest_bank(sample);
                let named: Vec<String> = lanes.iter().take(4).map(|lane| lane.to_string()).collect();
                let more = if lanes.len() > named.len() { " …" } else { "" };
                advice.label = format!("{} lanes want different words of bank {bank}", lanes.len());
                advice.notes = vec![format!(
                    "Lanes {}{more} come to bank {bank}, each for another word, so they are served one after \
                     the other: {} requests take {} passes instead of {}.",
                    named.join(", "),
                    site.requests,
                    site.units,
                    site.least
                )];
                advice.cost = cost("wavefronts");
                Some(advice)
            }
            Where::Atomic { shared } if site.units >= CROWD * site.requests && excess >= LEAST_EXCESS => {
                let mut advice = self.sampled(FindingKind::HotAtomic, pc, site, sample, shared);
                let lanes = sample.excess + 1;
                advice.label = format!("{lanes} threads of a warp update one address, one after the other");
                advice.notes = vec![format!(
                    "{} requests, each by a warp of 32 threads, take {} turns: threads of one address go one after \
                     the other.",
                    site.requests, site.units
                )];
                (advice.cost, advice.picture) = (cost("passes"), None);
                Some(advice)
            }
            _ => None,
        }
    }

    fn branch(&self, pc: u32, branch: &Branch) -> Option<Advice> {
        let all = self.details.lane_steps;
        let split = branch.kind()?;
        if branch.splits < LEAST_SPLITS || branch.idle < (all / IDLE_PART).max(LEAST_IDLE) {
            return None;
        }
        let (block, warp) = branch.first?;
        let percent = branch.idle * 100 / all.max(1);
        let steps = branch.idle;
        let plain = self.plain(FindingKind::Divergence, pc, block, warp * LANES as u32);
        let (what, why, help) = match split {
            Split::Ways => (
                "warps split here",
                "A warp takes its two ways one after the other.",
                FindingKind::Divergence.help(),
            ),
            Split::Turns => (
                "lanes leave this loop at different turns",
                "A warp turns until its last lane is done.",
                UNEVEN,
            ),
        };
        Some(Advice {
            label: format!("{what}, {} times of {}", branch.splits, branch.times),
            notes: vec![format!(
                "{why} Meanwhile lanes wait: {percent} % of all their steps in this kernel."
            )],
            help,
            hits: branch.splits,
            cost: Cost { what: "idle lane steps", yours: steps, least: 0 },
            ..plain
        })
    }

    fn values(&self, code: FindingKind, pc: u32, seen: &Seen, asked: &Asked) -> Option<Advice> {
        let skip = match code {
            FindingKind::NotANumber | FindingKind::Infinity => !seen.stored,
            FindingKind::Cancellation => !asked.strict_floats,
            _ => false,
        };
        if skip {
            return None;
        }
        let (label, values) = label_and_values(self.launch.code, pc, seen)?;
        let mut advice = self.plain(code, pc, seen.block, seen.thread);
        (advice.label, advice.values, advice.hits) = (label, values, seen.hits);
        advice.notes = match code {
            FindingKind::NotANumber => {
                let why = super::nan::why(self.launch.code, pc, seen);
                let first = "It is the first on this thread's way, and a NaN is stored at the end.";
                why.into_iter().chain([first]).map(String::from).collect()
            }
            FindingKind::Infinity => vec!["It is the first on this thread's way, and an infinity is stored at the end.".into()],
            FindingKind::IndexOverflow => vec!["An int has 32 bits; what it can't hold is cut off, and CUDA C++ leaves undefined what then happens. An address is made of it.".into()],
            FindingKind::DivisionByZero => vec!["CUDA C++ leaves undefined what comes out.".into()],
            _ => Vec::new(),
        };
        Some(advice)
    }

    fn occupancy(&self, asked: &Asked) -> Option<Advice> {
        let multiprocessor = Multiprocessor::of(asked.capability.0, asked.capability.1)?;
        let threads = self.launch.block_threads() as u32;
        let shared_bytes = self.launch.shared_bytes.min(u64::from(u32::MAX)) as u32;
        let held = multiprocessor.occupancy(BlockNeeds { threads, registers: asked.registers, shared_bytes });
        let room = u64::from(held.blocks) * u64::from(self.launch.multiprocessors);
        // One multiprocessor stands for none in particular.
        let small = self.launch.multiprocessors < 2 || self.launch.grid.count() < room;
        if held.blocks == 0 || small || held.percent() >= FEW_PERCENT {
            return None;
        }
        let why = match held.limits.first()? {
            Limit::Shared => format!("{shared_bytes} bytes of shared memory a block"),
            Limit::Registers => format!("{} registers a thread", asked.registers),
            Limit::Blocks => format!("{threads} threads a block, and no more blocks at once"),
            Limit::Threads => format!("{threads} threads a block"),
        };
        let at = self.launch.code.functions.get(self.launch.kernel.function as usize).and_then(|f| f.start);
        let name = &self.launch.kernel.name;
        Some(Advice {
            label: format!("a multiprocessor holds {} of {} warps", held.warps, held.max_warps),
            notes: vec![format!(
                "{why} let a multiprocessor run {} of these blocks at once, {} of {} warps ({:.0} %): few to \
                 work while others wait for memory. The kernel is {name}.",
                held.blocks,
                held.warps,
                held.max_warps,
                held.percent()
            )],
            cost: Cost { what: "warps", yours: u64::from(held.warps), least: u64::from(held.max_warps) },
            ..self.plain(FindingKind::LowOccupancy, at.unwrap_or(u32::MAX), 0, 0)
        })
    }

    /// The instruction that moves most between an array of the thread's own and its registers. One
    /// whose addresses never vary is kept in registers in the end.
    fn local_array(&self) -> Option<Advice> {
        let local = || self.details.sites.iter().filter(|(_, site)| site.place == Where::Local);
        // What printf is given is stored there too, and loaded by nobody.
        let (pc, most) = local()
            .filter(|(_, site)| !site.writes)
            .max_by_key(|(pc, site)| (site.units, std::cmp::Reverse(**pc)))?;
        let sum = |part: fn(&Site) -> u64| local().map(|(_, site)| part(site)).sum::<u64>();
        if !local().any(|(_, site)| site.varies()) {
            return None;
        }
        let (requests, sectors) = (sum(|site| site.requests), sum(|site| site.units));
        if sectors < LEAST_EXCESS {
            return None;
        }
        let sample = most.worst.as_deref()?;
        Some(Advice {
            label: "an array of the thread's own is read from memory here".into(),
            notes: vec![format!(
                "Its index is not known when the kernel is compiled, and registers have no index: {requests} \
                 loads and stores of warps move {sectors} sectors."
            )],
            hits: requests,
            cost: Cost { what: "sectors", yours: sectors, least: 0 },
            ..self.plain(FindingKind::LocalArray, *pc, sample.block, sample.warp * LANES as u32)
        })
    }
}

/// Sectors that a sample touches.
fn sectors_of(sample: &Sample) -> u64 {
    let mut sectors: Vec<i64> = (0..LANES)
        .filter(|lane| sample.mask >> lane & 1 != 0)
        .flat_map(|lane| {
            let from = (sample.first % 32) as i64 + sample.offsets[lane];
            from.div_euclid(32)..=(from + i64::from(sample.width) - 1).div_euclid(32)
        })
        .collect();
    sectors.sort_unstable();
    sectors.dedup();
    sectors.len() as u64
}

/// Whether the lanes leave bytes out between them.
fn is_strided(sample: &Sample) -> bool {
    stride(sample).is_some_and(|step| step.unsigned_abs() > u64::from(sample.width))
}

/// Bytes between neighbouring lanes, where most have the same.
fn stride(sample: &Sample) -> Option<i64> {
    let pairs: Vec<i64> = (1..LANES)
        .filter(|lane| sample.mask >> (lane - 1) & 3 == 3)
        .map(|lane| sample.offsets[lane] - sample.offsets[lane - 1])
        .collect();
    let most =
        pairs.iter().copied().max_by_key(|step| pairs.iter().filter(|other| *other == step).count())?;
    let same = pairs.iter().filter(|step| **step == most).count();
    (same * 4 >= pairs.len() * 3).then_some(most)
}

/// The bank of which most words are wanted, and for each of those words the lowest lane.
fn busiest_bank(sample: &Sample) -> (u32, Vec<usize>) {
    let mut banks: Vec<Vec<(i64, usize)>> = vec![Vec::new(); 32];
    for lane in (0..LANES).filter(|lane| sample.mask >> lane & 1 != 0) {
        let from = (sample.first % 128) as i64 + sample.offsets[lane];
        for word in from.div_euclid(4)..=(from + i64::from(sample.width) - 1).div_euclid(4) {
            let bank = &mut banks[word.rem_euclid(32) as usize];
            if !bank.iter().any(|(known, _)| *known == word) {
                bank.push((word, lane));
            }
        }
    }
    let busiest = (0..32).max_by_key(|bank| (banks[*bank].len(), 32 - bank)).unwrap_or(0);
    let mut lanes: Vec<usize> = banks[busiest].iter().map(|(_, lane)| *lane).collect();
    lanes.dedup();
    (busiest as u32, lanes)
}

/// What an instruction did to its operands, and these.
fn label_and_values(code: &DecodedModule, pc: u32, seen: &Seen) -> Option<(String, Vec<String>)> {
    let all = code.watched.get_or_init(|| watched(code));
    let row = code.origins.get(pc as usize)?.row?;
    let signed = |bits: u64| (bits as u32 as i32).to_string();
    Some(match *all.get(pc as usize)? {
        Watched::Nothing => return None,
        Watched::Float { bytes, op } => {
            let [a, b, c] = seen.operands.map(|bits| number(bits, bytes));
            let result = number(seen.result, bytes);
            let (text, used) = match op {
                FloatOp::Add => (format!("{a} + {b}"), 2),
                FloatOp::Sub => (format!("{a} - {b}"), 2),
                FloatOp::Mul => (format!("{a} * {b}"), 2),
                FloatOp::Div => (format!("{a} / {b}"), 2),
                FloatOp::Fma => (format!("{a} * {b} + {c}"), 3),
                FloatOp::Of("1/") => (format!("1 / {a}"), 1),
                FloatOp::Of(name) => (format!("{name}({a})"), 1),
            };
            let mut values: Vec<String> = [a, b, c].into_iter().take(used).collect();
            values.push(result.clone());
            (format!("{text} = {result}"), values)
        }
        Watched::Divide { bytes } => {
            let bits = 64 - u32::from(bytes) * 8;
            let by_sign = row.names.iter().any(|name| name.contains(".s"));
            let a = match by_sign {
                true => (((seen.operands[0] << bits) as i64) >> bits).to_string(),
                false => (seen.operands[0] << bits >> bits).to_string(),
            };
            let sign = if row.names.iter().any(|name| name.starts_with("rem")) { "%" } else { "/" };
            (format!("{a} {sign} 0"), vec![a, "0".into()])
        }
        Watched::Index(op) => {
            use super::watched::IndexOp;
            let [a, b, c] = seen.operands.map(signed);
            let text = match op {
                IndexOp::Add => format!("{a} + {b}"),
                IndexOp::Sub => format!("{a} - {b}"),
                IndexOp::Mul => format!("{a} * {b}"),
                IndexOp::Mad => format!("{a} * {b} + {c}"),
                IndexOp::Shl => format!("{a} << {b}"),
            };
            let exact =
                values::index(op, &seen.operands).map_or(String::new(), |exact| format!(", not {exact}"));
            let result = signed(seen.result);
            (format!("{text} = {result}{exact}"), vec![a, b, result])
        }
        Watched::Truncate { bytes, least, most } => {
            let value = number(seen.operands[0], bytes);
            (format!("{value} does not lie between {least} and {most}"), vec![value])
        }
        Watched::Narrow { from, to } => {
            let (value, result) = (number(seen.operands[0], from), number(seen.result, to));
            (format!("{value} becomes {result}"), vec![value, result])
        }
    })
}

/// A float, as short as tells it from its neighbours.
fn number(bits: u64, bytes: u8) -> String {
    let value = values::float(bits, bytes);
    let plain = value == 0.0 || (1e-4..1e7).contains(&value.abs()) || !value.is_finite();
    match (bytes, plain) {
        (8, true) => format!("{value}"),
        (8, false) => format!("{value:e}"),
        (_, true) => format!("{}", value as f32),
        (_, false) => format!("{:e}", value as f32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(width: u32, first: u64, offset: impl Fn(i64) -> i64) -> Sample {
        let offsets = std::array::from_fn(|lane| offset(lane as i64));
        Sample { block: 0, warp: 0, mask: u32::MAX, width, first, offsets, excess: 0 }
    }

    #[test]
    fn a_stride_is_that_of_most_neighbours() {
        assert_eq!(stride(&sample(4, 0, |lane| lane * 128)), Some(128));
        assert_eq!(stride(&sample(4, 0, |lane| lane % 16 * 4)), Some(4));
        assert_eq!(stride(&sample(4, 0, |lane| lane * lane * 4)), None);
    }

    #[test]
    fn the_busiest_bank_is_named_with_its_lanes() {
        let (bank, lanes) = busiest_bank(&sample(4, 0, |lane| lane * 128));
        assert_eq!((bank, lanes.len()), (0, 32));
        let (bank, lanes) = busiest_bank(&sample(4, 4, |lane| lane % 2 * 128));
        assert_eq!((bank, lanes), (1, vec![0, 1]));
        assert_eq!(busiest_bank(&sample(4, 0, |lane| lane * 4)).1.len(), 1);
    }

    #[test]
    fn numbers_are_short() {
        let of = |value: f32| number(u64::from(value.to_bits()), 4);
        assert_eq!(
            [of(0.1), of(1e30), of(f32::NAN), of(-0.0), of(f32::INFINITY)],
            ["0.1", "1e30", "NaN", "-0", "inf"]
        );
    }
}
