//! The mbarrier object in shared memory: a barrier for any set of threads that can also wait for bytes to arrive
//! (PTX ISA 8.8, 9.7.13.15). Pure functions on its 64 bits; the engine performs the memory accesses and the
//! waiting.
//!
//! # Encoding
//!
//! PTX leaves the layout open; the simulator's, from the lowest bit:
//!
//! | bits | holds |
//! |------|-------|
//! | 0–19 | arrivals still pending in this phase |
//! | 20–39 | arrivals expected in the next phase |
//! | 40–60 | tx-count: bytes still to arrive, two's complement |
//! | 61 | parity of the phase |
//! | 62–63 | 1 for a live object: zeros, small integers and usual fill patterns are not valid |
//!
//! A state, as returned by `mbarrier.arrive`, is a copy of the whole object just before the arrival.

pub mod change;

/// Most arrivals that an object can expect, and that one instruction can make.
pub const MAX_COUNT: u32 = (1 << 20) - 1;
/// Largest absolute value of the tx-count.
pub const MAX_TX_COUNT: i32 = (1 << 20) - 1;

const PENDING: u32 = 0;
const EXPECTED: u32 = 20;
const TX: u32 = 40;
const PARITY: u32 = 61;
const LIVE: u32 = 62;
const TX_BITS: u32 = 21;

/// A misuse of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Misuse {
    /// The memory holds no valid mbarrier: it was never initialised, was invalidated, or was overwritten.
    NotInitialised,
    /// The count of `init` is outside 1..=`MAX_COUNT`.
    BadInitialCount { count: u32 },
    /// The count of an arrival is outside 1..=`MAX_COUNT`.
    BadArrivalCount { count: u32 },
    /// More threads arrive than the phase has pending.
    TooManyArrivals { arriving: u32, pending: u32 },
    /// All threads have dropped out: later phases expect no arrivals.
    NothingExpected,
    /// An `arrive.noComplete` completes the phase.
    MustNotComplete,
    /// The tx-count leaves its range.
    TxCountOutOfRange { tx_count: i64 },
}

/// A live mbarrier, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fields {
    pending: u32,
    expected: u32,
    tx_count: i32,
    odd: bool,
}

impl Fields {
    fn decode(object: u64) -> Result<Fields, Misuse> {
        let count = |shift: u32| (object >> shift) as u32 & MAX_COUNT;
        let tx = (object << (64 - TX - TX_BITS)) as i64 >> (64 - TX_BITS);
        let fields = Fields {
            pending: count(PENDING),
            expected: count(EXPECTED),
            tx_count: tx as i32,
            odd: object >> PARITY & 1 == 1,
        };
        // A phase without pending arrivals and bytes would have ended.
        let live =
            object >> LIVE == 1 && (fields.pending > 0 || fields.tx_count != 0 || fields.expected == 0);
        if live { Ok(fields) } else { Err(Misuse::NotInitialised) }
    }

    fn encode(self) -> u64 {
        let tx = self.tx_count as u64 & ((1 << TX_BITS) - 1);
        u64::from(self.pending) << PENDING
            | u64::from(self.expected) << EXPECTED
            | tx << TX
            | u64::from(self.odd) << PARITY
            | 1 << LIVE
    }

    /// Starts the next phase if nothing is pending any more.
    fn end_if_complete(mut self) -> Fields {
        if self.pending == 0 && self.tx_count == 0 {
            self.pending = self.expected;
            self.odd = !self.odd;
        }
        self
    }

    fn add_tx(mut self, bytes: i64) -> Result<Fields, Misuse> {
        let tx_count = i64::from(self.tx_count) + bytes;
        if tx_count.unsigned_abs() > MAX_TX_COUNT.unsigned_abs().into() {
            return Err(Misuse::TxCountOutOfRange { tx_count });
        }
        self.tx_count = tx_count as i32;
        Ok(self)
    }

    fn arrive(mut self, count: u32) -> Result<Fields, Misuse> {
        if count == 0 || count > MAX_COUNT {
            return Err(Misuse::BadArrivalCount { count });
        }
        if self.expected == 0 && self.pending == 0 {
            return Err(Misuse::NothingExpected);
        }
        if count > self.pending {
            return Err(Misuse::TooManyArrivals { arriving: count, pending: self.pending });
        }
        self.pending -= count;
        Ok(self)
    }
}

/// The effect of an arrival on the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The object afterwards.
    pub object: u64,
    /// The state that the instruction returns.
    pub state: u64,
    /// Whether this completed the phase, so that waiting threads may continue.
    pub completed: bool,
}

/// The variant of an arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// `arrive_drop`: the thread does not take part in later phases.
    pub drop: bool,
    /// `.noComplete`: completing the phase is an error.
    pub no_complete: bool,
    /// `.expect_tx`: bytes to expect, added to the tx-count before the arrival takes effect.
    pub expect_tx: u32,
}

/// `mbarrier.init`: returns the object in its first phase.
///
/// # Errors
///
/// [`Misuse::BadInitialCount`].
pub fn init(count: u32) -> Result<u64, Misuse> {
    if count == 0 || count > MAX_COUNT {
        return Err(Misuse::BadInitialCount { count });
    }
    Ok(Fields { pending: count, expected: count, tx_count: 0, odd: false }.encode())
}

/// `mbarrier.inval`: returns a value that is not a valid mbarrier.
///
/// # Errors
///
/// [`Misuse::NotInitialised`].
pub fn invalidate(object: u64) -> Result<u64, Misuse> {
    Fields::decode(object).map(|_| 0)
}

/// `mbarrier.arrive`, `mbarrier.arrive_drop` and their forms with `.noComplete` and `.expect_tx`, for `count`
/// threads.
///
/// # Errors
///
/// The misuse, if the arrival is not allowed.
pub fn arrive(object: u64, count: u32, arrival: Arrival) -> Result<Arrived, Misuse> {
    let mut fields = Fields::decode(object)?.add_tx(arrival.expect_tx.into())?.arrive(count)?;
    if arrival.drop {
        fields.expected = fields.expected.saturating_sub(count);
    }
    let after = fields.end_if_complete();
    let completed = after.odd != fields.odd;
    if completed && arrival.no_complete {
        return Err(Misuse::MustNotComplete);
    }
    Ok(Arrived { object: after.encode(), state: object, completed })
}

/// `mbarrier.expect_tx`: adds to the bytes that are to arrive in this phase.
///
/// # Errors
///
/// The object is not valid, or its tx-count leaves its range.
pub fn expect_tx(object: u64, bytes: u32) -> Result<u64, Misuse> {
    Ok(Fields::decode(object)?.add_tx(bytes.into())?.encode())
}

/// `mbarrier.complete_tx`, or the completion of an asynchronous copy: `bytes` bytes have arrived. The flag says
/// whether this completed the phase.
///
/// # Errors
///
/// The object is not valid, or its tx-count leaves its range.
pub fn complete_tx(object: u64, bytes: u32) -> Result<(u64, bool), Misuse> {
    let fields = Fields::decode(object)?.add_tx(-i64::from(bytes))?;
    let after = fields.end_if_complete();
    Ok((after.encode(), after.odd != fields.odd))
}

/// `mbarrier.test_wait` and `try_wait`: returns whether the phase in which `state` was obtained is complete.
///
/// # Errors
///
/// The object or the state is not valid.
pub fn test_state(object: u64, state: u64) -> Result<bool, Misuse> {
    let (now, then) = (Fields::decode(object)?, Fields::decode(state)?);
    Ok(now.odd != then.odd)
}

/// `mbarrier.test_wait.parity` and `try_wait.parity`: returns whether the phase of that parity (even: 0, odd: 1)
/// is complete, meaning either the current phase or the one before it.
///
/// # Errors
///
/// The object is not valid.
pub fn test_parity(object: u64, parity: u32) -> Result<bool, Misuse> {
    Ok(u32::from(Fields::decode(object)?.odd) != parity & 1)
}

/// `mbarrier.pending_count`: returns the arrivals pending at the time of `state`.
///
/// # Errors
///
/// The state is not valid.
pub fn pending_count(state: u64) -> Result<u32, Misuse> {
    Ok(Fields::decode(state)?.pending)
}

/// Returns whether the current phase of an object, or the phase of a state, is odd; false if it is not valid.
pub fn is_odd(object: u64) -> bool {
    Fields::decode(object).is_ok_and(|fields| fields.odd)
}

/// The progress of an object's current phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseProgress {
    pub arrived: u32,
    pub expected: u32,
    /// Bytes that were announced but have not arrived; negative where more arrived than were announced.
    pub bytes: i32,
}

/// Returns the progress of the current phase. Threads that dropped out in it are not counted.
///
/// # Errors
///
/// The object is not valid.
pub fn phase_progress(object: u64) -> Result<PhaseProgress, Misuse> {
    let Fields { pending, expected, tx_count, .. } = Fields::decode(object)?;
    Ok(PhaseProgress { arrived: expected.saturating_sub(pending), expected, bytes: tx_count })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive_once(object: u64) -> Arrived {
        arrive(object, 1, Arrival::default()).unwrap()
    }

    #[test]
    fn a_phase_ends_with_its_last_arrival() {
        let mut object = init(3).unwrap();
        let mut states = Vec::new();
        for phase in 0..4 {
            for arrival in 1..=3 {
                assert!(!test_parity(object, phase % 2).unwrap());
                assert!(test_parity(object, (phase + 1) % 2).unwrap());
                let arrived = arrive_once(object);
                assert_eq!(arrived.completed, arrival == 3);
                assert_eq!(pending_count(arrived.state), Ok(4 - arrival));
                states.push(arrived.state);
                object = arrived.object;
                assert_eq!(test_state(object, arrived.state), Ok(arrival == 3));
            }
            assert!(states.drain(..).all(|state| test_state(object, state) == Ok(true)));
        }
    }

    #[test]
    fn an_arrival_counts_for_several_threads() {
        let object = init(256).unwrap();
        let half = arrive(object, 128, Arrival::default()).unwrap();
        assert_eq!((half.completed, pending_count(half.object)), (false, Ok(128)));
        assert!(arrive(half.object, 128, Arrival::default()).unwrap().completed);
        assert_eq!(
            arrive(half.object, 129, Arrival::default()),
            Err(Misuse::TooManyArrivals { arriving: 129, pending: 128 })
        );
        for count in [0, MAX_COUNT + 1] {
            assert_eq!(arrive(object, count, Arrival::default()), Err(Misuse::BadArrivalCount { count }));
        }
    }

    #[test]
    fn a_dropped_thread_is_not_expected_again() {
        let drop = Arrival { drop: true, ..Arrival::default() };
        let object = init(2).unwrap();
        let object = arrive(object, 1, drop).unwrap().object;
        let object = arrive_once(object).object;
        assert_eq!(pending_count(object), Ok(1));
        // The last one drops too: then no further arrival is allowed.
        let last = arrive(object, 1, drop).unwrap();
        assert!(last.completed);
        assert_eq!(arrive(last.object, 1, Arrival::default()), Err(Misuse::NothingExpected));
        assert_eq!(test_state(last.object, last.state), Ok(true));
    }

    #[test]
    fn bytes_hold_a_phase_open() {
        let object = init(1).unwrap();
        let expecting = Arrival { expect_tx: 4096, ..Arrival::default() };
        let arrived = arrive(object, 1, expecting).unwrap();
        assert!(!arrived.completed);
        let (object, done) = complete_tx(arrived.object, 4000).unwrap();
        assert!(!done && !test_parity(object, 0).unwrap());
        let (object, done) = complete_tx(object, 96).unwrap();
        assert!(done && test_parity(object, 0).unwrap());
        assert_eq!(pending_count(object), Ok(1));
    }

    #[test]
    fn bytes_may_arrive_before_they_are_expected() {
        let object = init(1).unwrap();
        let (object, done) = complete_tx(object, 16).unwrap();
        assert!(!done);
        let object = expect_tx(object, 16).unwrap();
        assert!(arrive_once(object).completed);
        let most = MAX_TX_COUNT as u32;
        let full = expect_tx(init(1).unwrap(), most).unwrap();
        assert_eq!(expect_tx(full, 1), Err(Misuse::TxCountOutOfRange { tx_count: i64::from(most) + 1 }));
        let (empty, _) = complete_tx(init(1).unwrap(), most).unwrap();
        assert_eq!(
            complete_tx(empty, u32::MAX),
            Err(Misuse::TxCountOutOfRange { tx_count: -(i64::from(most) + i64::from(u32::MAX)) })
        );
        assert_eq!(expect_tx(empty, most), Ok(init(1).unwrap()));
    }

    #[test]
    fn no_complete_must_not_complete() {
        let quiet = Arrival { no_complete: true, ..Arrival::default() };
        let object = init(2).unwrap();
        let object = arrive(object, 1, quiet).unwrap().object;
        assert_eq!(arrive(object, 1, quiet), Err(Misuse::MustNotComplete));
    }

    #[test]
    fn memory_that_holds_no_mbarrier_is_found_out() {
        let counts = [0, MAX_COUNT + 1, u32::MAX];
        assert!(counts.iter().all(|&count| init(count) == Err(Misuse::BadInitialCount { count })));
        let ended = invalidate(init(5).unwrap()).unwrap();
        for memory in [0, ended, u64::MAX, 0xcdcd_cdcd_cdcd_cdcd, 0xdead_beef_dead_beef] {
            assert_eq!(arrive(memory, 1, Arrival::default()), Err(Misuse::NotInitialised), "{memory:#x}");
            assert_eq!(test_parity(memory, 0), Err(Misuse::NotInitialised));
            assert_eq!(invalidate(memory), Err(Misuse::NotInitialised));
        }
    }

    #[test]
    fn extreme_fields_survive_their_encoding() {
        for pending in [1, 77, MAX_COUNT] {
            for tx_count in [0, 1, -1, MAX_TX_COUNT, -MAX_TX_COUNT] {
                for odd in [false, true] {
                    let fields = Fields { pending, expected: MAX_COUNT, tx_count, odd };
                    assert_eq!(Fields::decode(fields.encode()), Ok(fields));
                }
            }
        }
    }
}
