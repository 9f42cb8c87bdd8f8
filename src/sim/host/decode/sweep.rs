//! Recognises loops that do nothing but fill a range of memory, or copy one: what the compiler makes of
//! `memset` and `memcpy`, and plain loops that do the same. They are recognised by their operations alone: an
//! iteration's accesses are adjacent and continue where the last iteration's ended, what is stored is the same
//! in every iteration or what the iteration has loaded, and only counters carry over to the next iteration.

use crate::host::op::{Constant, Kind, Op};
use crate::host::sweep::{Counter, CounterOffset, FillOrCopy, Stream, Sweep, Test};
use crate::host::undefined::loaded;
use std::collections::HashMap;

/// The most operations of a loop to inspect; unrolled loops have about thirty.
const MAX_OPS: usize = 64;

/// The names of the rows that operations run, by operation number.
pub type Names = HashMap<u32, &'static [&'static str]>;

/// What a register holds within an iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// A counter, perhaps plus a register that the loop does not change.
    At(CounterOffset),
    /// The low bytes of a register that the loop does not change.
    Kept { register: u32, bytes: u32 },
    /// What the access with this index loaded.
    Loaded(usize),
}

/// An access that an iteration makes.
struct Access {
    at: CounterOffset,
    bytes: u32,
    op: u32,
    /// What a store stores; `None` for a load.
    put: Option<Value>,
}

struct LoopAnalysis<'a> {
    ops: &'a [Op],
    first: u32,
    names: &'a Names,
    constants: &'a [Constant],
    constants_start: u32,
    counters: Vec<Counter>,
    /// What the registers written in the loop hold at this point; `None` if that is not known.
    values: HashMap<u32, Option<Value>>,
    /// Counters that have been advanced in this iteration.
    moved: Vec<u32>,
    accesses: Vec<Access>,
}

/// Analyses the operations from `first` on, of which the last jumps back to the first. Returns the loop if it
/// does nothing but fill or copy memory.
pub fn sweep(
    ops: &[Op],
    first: u32,
    names: &Names,
    constants: &[Constant],
    constants_start: u32,
) -> Option<Sweep> {
    if ops.len() < 3 || ops.len() > MAX_OPS {
        return None;
    }
    let mut reader = LoopAnalysis {
        ops,
        first,
        names,
        constants,
        constants_start,
        counters: Vec::new(),
        values: HashMap::new(),
        moved: Vec::new(),
        accesses: Vec::new(),
    };
    reader.find_counters();
    let (last, body) = ops.split_last()?;
    for (n, op) in body.iter().enumerate() {
        reader.step(n, op)?;
    }
    let test = reader.test(ops.len() - 1, last)?;
    reader.streams(test)
}

impl LoopAnalysis<'_> {
    fn name(&self, n: usize) -> &'static [&'static str] {
        self.names.get(&(self.first + n as u32)).copied().unwrap_or_default()
    }

    fn is(&self, n: usize, name: &str) -> bool {
        self.name(n).contains(&name)
    }

    /// Returns the value of a register that holds an immediate.
    fn number(&self, register: u32) -> Option<u64> {
        let at = register.checked_sub(self.constants_start)? as usize;
        match self.constants.get(at / 8).filter(|_| at.is_multiple_of(8))? {
            Constant::Bits(bits) => Some(*bits),
            Constant::Variable(..) => None,
        }
    }

    /// Finds registers to which a constant is added once per iteration, and which are not written elsewhere.
    fn find_counters(&mut self) {
        let mut writes: HashMap<u32, u32> = HashMap::new();
        for op in self.ops {
            if let Some(register) = written(op) {
                *writes.entry(register).or_default() += 1;
            }
        }
        for (n, op) in self.ops.iter().enumerate() {
            let wide = self.is(n, "add.s64");
            let (d, [a, b, ..]) = (op.operands.d, op.operands.s);
            let add = match (a == d, b == d) {
                (true, false) => self.number(b),
                (false, true) => self.number(a),
                _ => None,
            };
            if op.kind == Kind::Row
                && (wide || self.is(n, "add.s32"))
                && writes.get(&d) == Some(&1)
                && let Some(bits) = add
            {
                let step = if wide { bits as i64 } else { bits as u32 as i32 as i64 };
                self.counters.push(Counter { register: d, wide, step });
            }
        }
        for register in writes.into_keys() {
            if !self.counters.iter().any(|counter| counter.register == register) {
                self.values.insert(register, None);
            }
        }
    }

    fn counter(&self, register: u32) -> Option<Counter> {
        self.counters.iter().copied().find(|counter| counter.register == register)
    }

    /// Returns what a register holds; `None` if the value stems from the previous iteration or is not tracked.
    /// `bytes` is how much is read of a register that the loop does not change.
    fn read(&self, register: u32, bytes: u32) -> Option<Value> {
        if let Some(counter) = self.counter(register) {
            let ahead = if self.moved.contains(&register) { counter.step } else { 0 };
            return Some(Value::At(CounterOffset { counter, plus: None, ahead }));
        }
        match self.values.get(&register) {
            Some(value) => *value,
            None => Some(Value::Kept { register, bytes }),
        }
    }

    fn place(&self, register: u32) -> Option<CounterOffset> {
        match self.read(register, 8)? {
            Value::At(place) => Some(place),
            _ => None,
        }
    }

    /// Tracks the effect of one operation; `None` if a loop that fills or copies memory can't contain it.
    fn step(&mut self, n: usize, op: &Op) -> Option<()> {
        let (d, [a, b, ..]) = (op.operands.d, op.operands.s);
        match op.kind {
            Kind::Row if self.counter(d).is_some() => self.moved.push(d),
            Kind::Row if self.is(n, "add.s64") => {
                let value = match (self.read(a, 8)?, self.read(b, 8)?) {
                    (Value::At(place), Value::Kept { register, .. })
                    | (Value::Kept { register, .. }, Value::At(place))
                        if place.plus.is_none() && place.counter.wide =>
                    {
                        Value::At(CounterOffset { plus: Some(register), ..place })
                    }
                    _ => return None,
                };
                self.values.insert(d, Some(value));
            }
            Kind::Row if self.is(n, "mov.b16") => self.alias(d, a, 2)?,
            Kind::Move32 => self.alias(d, a, 4)?,
            // Two 32-bit registers may be moved by this operation, too.
            Kind::Move64 if self.is(n, "mov.b64") => self.alias(d, a, 8)?,
            kind => match kind.stored_bytes() {
                Some(bytes) => self.store(n, op, bytes)?,
                None if kind.loads() && kind != Kind::LoadTo64 => self.load(n, op, loaded(op).0 as u32)?,
                None => return None,
            },
        }
        Some(())
    }

    fn alias(&mut self, d: u32, from: u32, bytes: u32) -> Option<()> {
        match self.read(from, bytes)? {
            Value::Kept { register, bytes: its } => {
                let kept = Value::Kept { register, bytes: bytes.min(its) };
                self.values.insert(d, Some(kept));
                Some(())
            }
            _ => None,
        }
    }

    fn access(&self, n: usize, op: &Op, bytes: u32, put: Option<Value>) -> Option<Access> {
        let place = self.place(op.operands.s[0])?;
        let at = CounterOffset { ahead: place.ahead.checked_add(op.immediate)?, ..place };
        at.counter.wide.then_some(Access { at, bytes, op: self.first + n as u32, put })
    }

    fn load(&mut self, n: usize, op: &Op, bytes: u32) -> Option<()> {
        let access = self.access(n, op, bytes, None).filter(|_| op.operands.s[1] == 0)?;
        self.values.insert(op.operands.d, Some(Value::Loaded(self.accesses.len())));
        self.accesses.push(access);
        Some(())
    }

    fn store(&mut self, n: usize, op: &Op, bytes: u32) -> Option<()> {
        let put = self.read(op.operands.s[1], if bytes == 8 { 8 } else { 4 })?;
        let access = self.access(n, op, bytes, Some(put)).filter(|_| op.operands.s[2] == 0)?;
        self.accesses.push(access);
        Some(())
    }

    /// Returns the loop's condition.
    fn test(&self, n: usize, op: &Op) -> Option<Test> {
        let when = |holds: &[&str], fails: &[&str]| {
            let names = if op.kind == Kind::RowBranchIf { holds } else { fails };
            names.iter().any(|name| self.is(n, name))
        };
        let below = when(&["setp.lt.u32", "setp.lt.u64"], &["setp.ge.u32", "setp.ge.u64"]);
        let differs = when(&["setp.ne.s32", "setp.ne.s64"], &["setp.eq.s32", "setp.eq.s64"]);
        let wide = self.name(n).first()?.ends_with("64");
        let bytes = if wide { 8 } else { 4 };
        let [a, b, ..] = op.operands.s;
        let (at, bound) = match (self.read(a, bytes)?, self.read(b, bytes)?) {
            (Value::At(place), Value::Kept { register, .. }) => (place, register),
            (Value::Kept { register, .. }, Value::At(place)) if differs => (place, register),
            _ => return None,
        };
        let fits = at.counter.wide == wide && (differs || below && at.counter.step > 0);
        fits.then_some(Test { at, bound, below })
    }

    /// Combines the iteration's accesses into one stream that is filled, or two of which one is copied to the
    /// other.
    fn streams(self, test: Test) -> Option<Sweep> {
        let stream = |accesses: &[&Access]| -> Option<Stream> {
            let first = accesses.first()?;
            let mut end = first.at.ahead;
            for access in accesses {
                let same = access.at.counter == first.at.counter && access.at.plus == first.at.plus;
                if !same || access.at.ahead != end {
                    return None;
                }
                end = end.checked_add(access.bytes as i64)?;
            }
            let goes_on = end.checked_sub(first.at.ahead)? == first.at.counter.step;
            goes_on.then_some(Stream { at: first.at, op: first.op })
        };
        let (stores, loads): (Vec<&Access>, Vec<&Access>) =
            self.accesses.iter().partition(|access| access.put.is_some());
        let to = stream(&stores)?;
        let put = if loads.is_empty() {
            let value = |access: &&Access| match access.put {
                Some(Value::Kept { register, bytes }) if bytes >= access.bytes => {
                    Some((register, access.bytes))
                }
                _ => None,
            };
            FillOrCopy::Values(stores.iter().map(value).collect::<Option<_>>()?)
        } else {
            if loads.len() != stores.len() {
                return None;
            }
            for (load, store) in loads.iter().zip(&stores) {
                let Some(Value::Loaded(n)) = store.put else { return None };
                let its = self.accesses.get(n)?;
                if its.op != load.op || its.bytes != store.bytes {
                    return None;
                }
            }
            FillOrCopy::CopyOf(stream(&loads)?)
        };
        Some(Sweep { counters: self.counters, test, to, put })
    }
}

/// Returns the register that an operation writes.
fn written(op: &Op) -> Option<u32> {
    op.kind.stored_bytes().is_none().then_some(op.operands.d)
}
