//! Random kernels: statements, and the PTX that they stand for.

use proptest::prelude::*;
use std::fmt::Write;

/// Size in bytes of each buffer in global memory.
pub const BUFFER_BYTES: u32 = 1 << 14;
/// Sizes in bytes of the array of words and of the array of bytes in shared memory.
const SHARED_BYTES: u32 = 1024;
const BYTE_ARRAY_BYTES: u32 = 256;

/// The registers of each kind: its letter, the registers' prefix, and their number. The kinds are `%r`, `%f`, `%d`
/// (64 bits), `%e` (double), `%h` (16 bits) and `%p`.
const REGISTERS: [(&str, &str, u8); 6] =
    [("R", "%r", 6), ("F", "%f", 4), ("D", "%d", 3), ("E", "%e", 2), ("H", "%h", 3), ("P", "%p", 3)];

/// Instruction templates: a capital letter is a register of that kind, `#` a number.
const ROWS: [&str; 101] = [
    "add.s32 R, R, R",
    "sub.s32 R, R, R",
    "mul.lo.s32 R, R, R",
    "and.b32 R, R, R",
    "or.b32 R, R, R",
    "xor.b32 R, R, R",
    "min.s32 R, R, R",
    "max.u32 R, R, R",
    "shl.b32 R, R, R",
    "shr.s32 R, R, R",
    "shr.u32 R, R, R",
    "add.s32 R, R, #",
    "sub.s32 R, R, #",
    "mul.lo.s32 R, R, #",
    "and.b32 R, R, #",
    "or.b32 R, R, #",
    "xor.b32 R, R, #",
    "min.u32 R, R, #",
    "max.s32 R, R, #",
    "shl.b32 R, R, #",
    "shr.s32 R, R, #",
    "shr.u32 R, R, #",
    "mov.u32 R, #",
    "mov.u32 R, R",
    "mad.lo.s32 R, R, R, R",
    "mad.lo.s32 R, R, #, R",
    "mul.hi.s32 R, R, R",
    "mul.hi.u32 R, R, #",
    "div.s32 R, R, #",
    "rem.u32 R, R, R",
    "not.b32 R, R",
    "neg.s32 R, R",
    "abs.s32 R, R",
    "popc.b32 R, R",
    "clz.b32 R, R",
    "brev.b32 R, R",
    "bfe.u32 R, R, 3, 5",
    "bfi.b32 R, R, R, 4, 8",
    "prmt.b32 R, R, R, 0x3210",
    "shf.l.wrap.b32 R, R, R, R",
    "lop3.b32 R, R, R, R, 0x96",
    "mov.u32 R, %laneid",
    "mov.u32 R, %tid.x",
    "mov.u32 R, %ctaid.x",
    "mov.u32 R, %nctaid.x",
    "mul.wide.s32 D, R, #",
    "mul.wide.u32 D, R, R",
    "mad.wide.s32 D, R, R, D",
    "cvt.s64.s32 D, R",
    "cvt.u64.u32 D, R",
    "cvt.u32.u64 R, D",
    "add.s64 D, D, D",
    "add.s64 D, D, #",
    "sub.s64 D, D, D",
    "mul.lo.s64 D, D, D",
    "shl.b64 D, D, #",
    "shr.s64 D, D, #",
    "shr.u64 D, D, R",
    "and.b64 D, D, D",
    "xor.b64 D, D, #",
    "min.s64 D, D, D",
    "neg.s64 D, D",
    "add.f32 F, F, F",
    "sub.f32 F, F, F",
    "mul.f32 F, F, F",
    "fma.rn.f32 F, F, F, F",
    "fma.rn.f32 F, F, 0f3F000000, F",
    "div.rn.f32 F, F, F",
    "sqrt.rn.f32 F, F",
    "rcp.rn.f32 F, F",
    "max.f32 F, F, F",
    "min.f32 F, F, F",
    "abs.f32 F, F",
    "neg.f32 F, F",
    "add.ftz.f32 F, F, F",
    "add.rz.f32 F, F, F",
    "ex2.approx.f32 F, F",
    "mov.f32 F, F",
    "mov.b32 F, R",
    "mov.b32 R, F",
    "cvt.rn.f32.s32 F, R",
    "cvt.rn.f32.u32 F, R",
    "cvt.rzi.s32.f32 R, F",
    "cvt.f64.f32 E, F",
    "cvt.rn.f32.f64 F, E",
    "add.f64 E, E, E",
    "fma.rn.f64 E, E, E, E",
    "add.f16 H, H, H",
    "fma.rn.f16 H, H, H, H",
    "cvt.rn.f16.f32 H, F",
    "cvt.f32.f16 F, H",
    "add.s16 H, H, H",
    "cvt.u16.u32 H, R",
    "cvt.s32.s16 R, H",
    "selp.b32 R, R, R, P",
    "selp.f32 F, F, F, P",
    "selp.b64 D, D, D, P",
    "and.pred P, P, P",
    "not.pred P, P",
    "xor.pred P, P, P",
    "mov.pred P, P",
];

/// Instructions that set a predicate, from which branches are built.
const CONDITIONS: [&str; 14] = [
    "setp.lt.s32 P, R, R",
    "setp.ge.s32 P, R, #",
    "setp.lt.u32 P, R, #",
    "setp.eq.s32 P, R, #",
    "setp.ne.s32 P, R, R",
    "setp.gt.u32 P, #, R",
    "setp.le.u32 P, R, R",
    "setp.lt.s64 P, D, D",
    "setp.eq.s64 P, D, #",
    "setp.gt.u64 P, D, D",
    "setp.lt.f32 P, F, F",
    "setp.geu.f32 P, F, F",
    "setp.neu.f32 P, F, F",
    "setp.eq.f64 P, E, E",
];

/// Collective operations of warps and of blocks.
const TOGETHER: [&str; 10] = [
    "bar.sync 0",
    "bar.sync 0",
    "bar.sync 0",
    "bar.warp.sync -1",
    "membar.cta",
    "shfl.sync.bfly.b32 R, R, 1, 31, -1",
    "shfl.sync.idx.b32 R, R, #, 31, -1",
    "shfl.sync.down.b32 F, F, 4, 31, -1",
    "vote.sync.ballot.b32 R, P, -1",
    "activemask.b32 R",
];

/// Loads and stores: the type, the number of bytes, and the kinds of the registers.
const ACCESSES: [(&str, u32, &str); 21] = [
    ("f32", 4, "F"),
    ("f32", 4, "F"),
    ("b32", 4, "R"),
    ("u32", 4, "R"),
    ("f32", 4, "F"),
    ("v2.f32", 8, "F F"),
    ("v4.f32", 16, "F F F F"),
    ("v4.u32", 16, "R R R R"),
    ("v2.f32", 8, "F _"),
    ("u8", 1, "R"),
    ("s8", 1, "R"),
    ("u8", 1, "H"),
    ("u16", 2, "R"),
    ("b16", 2, "H"),
    ("s16", 2, "R"),
    ("v2.u16", 4, "H H"),
    ("v4.u8", 4, "R R R R"),
    ("b64", 8, "D"),
    ("f64", 8, "E"),
    ("v2.b64", 16, "D D"),
    ("s32", 4, "D"),
];

/// Atomic operations: the instruction up to its address, and its operands after the address.
const ATOMICS: [(&str, &str); 9] = [
    ("atom.shared.add.u32 R", "R"),
    ("atom.shared.add.u32 R", "1"),
    ("red.shared.add.u32", "R"),
    ("atom.shared.exch.b32 R", "R"),
    ("red.shared.max.s32", "R"),
    ("atom.shared.cas.b32 R", "R, R"),
    ("atom.global.add.u32 R", "R"),
    ("red.global.add.f32", "F"),
    ("red.global.min.u32", "R"),
];

/// Where an access goes: a memory, and how the address is computed.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    memory: Memory,
    index: Index,
    register: u8,
    offset: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Input,
    Output,
    Shared,
    /// The array of bytes in shared memory, of alignment 1.
    Bytes,
    Local,
    /// The output, by a generic address.
    Generic,
}

#[derive(Clone, Copy, Debug)]
enum Index {
    /// The thread's number along x: from lane to lane, addresses grow by an element.
    Thread,
    /// An element index, masked to stay within the memory.
    Within,
    /// An element index that may lead anywhere.
    Anywhere,
    /// The same, with a stride of two elements.
    Strided,
    /// A byte offset, so that the address may be misaligned.
    Uneven,
    /// An element index from a 64-bit register, masked to stay within the memory.
    Wide,
    /// The first lane's element index in every lane, masked to stay within the memory.
    Same,
}

#[derive(Clone, Debug)]
pub enum Statement {
    /// An instruction from a table, the choices of its registers and numbers, and its guard: a predicate, and
    /// whether it must be true.
    Row {
        row: &'static str,
        picks: [u8; 6],
        guard: Option<(u8, bool)>,
    },
    Access {
        of: usize,
        store: bool,
        place: Place,
        picks: [u8; 6],
        guard: Option<(u8, bool)>,
    },
    Atomic {
        of: usize,
        place: Place,
        picks: [u8; 6],
    },
    /// `then`, executed by the threads for which the condition does not hold.
    If {
        row: &'static str,
        picks: [u8; 6],
        then: Vec<Statement>,
    },
    /// `then`, executed by the lanes of a mask, the same ones in each warp; the others execute `otherwise`.
    IfLane {
        lanes: u32,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// A loop, with a constant number of iterations (`Ok`) or with one taken from a register (`Err`).
    Loop {
        rounds: Result<u8, u8>,
        body: Vec<Statement>,
    },
    /// The threads of the block together read a whole buffer, each its share.
    Sweep {
        output: bool,
        to: u8,
    },
    /// Threads for which a predicate holds leave the enclosing loop, or return if there is none.
    Break {
        predicate: u8,
    },
    Call {
        to: u8,
        from: u8,
    },
    /// Reads a register that was never written.
    Unwritten {
        to: u8,
    },
}

fn picks() -> impl Strategy<Value = [u8; 6]> {
    any::<[u8; 6]>()
}

fn guard() -> impl Strategy<Value = Option<(u8, bool)>> {
    prop_oneof![5 => Just(None), 1 => (0u8..3, any::<bool>()).prop_map(Some)]
}

fn place() -> impl Strategy<Value = Place> {
    let memory = prop_oneof![
        4 => Just(Memory::Input),
        4 => Just(Memory::Output),
        4 => Just(Memory::Shared),
        2 => Just(Memory::Bytes),
        1 => Just(Memory::Local),
        1 => Just(Memory::Generic),
    ];
    let index = prop_oneof![
        20 => Just(Index::Thread),
        20 => Just(Index::Within),
        2 => Just(Index::Anywhere),
        1 => Just(Index::Strided),
        1 => Just(Index::Uneven),
        6 => Just(Index::Wide),
        6 => Just(Index::Same),
    ];
    let offset = prop_oneof![
        60 => Just(0),
        6 => prop::sample::select(&[4, 8, 16, -4, 64][..]),
        1 => prop::sample::select(&[1, 2, -4096, 1 << 14, i32::MIN][..]),
    ];
    (memory, index, 0u8..6, offset).prop_map(|(memory, index, register, offset)| Place {
        memory,
        index,
        register,
        offset,
    })
}

/// A place to store to: rarely the input, which may be read-only.
fn stored_to() -> impl Strategy<Value = Place> {
    (place(), 0..20).prop_map(|(place, n)| match place.memory {
        Memory::Input if n > 0 => Place { memory: Memory::Output, ..place },
        _ => place,
    })
}

/// Draws a set of lanes: those below a number, two, or any.
fn lanes() -> impl Strategy<Value = u32> {
    prop_oneof![
        (0u32..33).prop_map(|below| u32::try_from((1u64 << below) - 1).unwrap_or(u32::MAX)),
        (0u32..32, 0u32..32).prop_map(|(one, other)| 1 << one | 1 << other),
        any::<u32>(),
    ]
}

pub fn statement(depth: u32) -> BoxedStrategy<Statement> {
    let rows = |rows: &'static [&'static str]| {
        (prop::sample::select(rows), picks(), guard()).prop_map(|(row, picks, guard)| Statement::Row {
            row,
            picks,
            guard,
        })
    };
    let load = (0..ACCESSES.len(), place(), picks(), guard());
    let store = (0..ACCESSES.len(), stored_to(), picks(), guard());
    let alone = prop_oneof![
        10 => rows(&ROWS),
        2 => rows(&CONDITIONS),
        5 => load.prop_map(|(of, place, picks, guard)| Statement::Access { of, store: false, place, picks, guard }),
        4 => store.prop_map(|(of, place, picks, guard)| Statement::Access { of, store: true, place, picks, guard }),
    ];
    let alone = alone.boxed();
    let simple = prop_oneof![
        21 => alone.clone(),
        3 => rows(&TOGETHER),
        1 => (0..ATOMICS.len(), place(), picks()).prop_map(|(of, place, picks)| Statement::Atomic { of, place, picks }),
    ];
    if depth == 0 {
        return simple.boxed();
    }
    let rare = prop_oneof![
        3 => (0u8..3).prop_map(|predicate| Statement::Break { predicate }),
        2 => (0u8..6, 0u8..6).prop_map(|(to, from)| Statement::Call { to, from }),
        1 => (0u8..6).prop_map(|to| Statement::Unwritten { to }),
    ];
    let inner = move || prop::collection::vec(statement(depth - 1), 1..7);
    let rounds = prop_oneof![3 => (1u8..7).prop_map(Ok), 1 => (0u8..6).prop_map(Err)];
    prop_oneof![
        20 => simple,
        1 => rare,
        2 => (any::<bool>(), 0u8..6).prop_map(|(output, to)| Statement::Sweep { output, to }),
        3 => (prop::sample::select(&CONDITIONS[..]), picks(), inner())
            .prop_map(|(row, picks, then)| Statement::If { row, picks, then }),
        4 => (lanes(), prop::collection::vec(alone.clone(), 1..6), prop::collection::vec(alone, 0..4))
            .prop_map(|(lanes, then, otherwise)| Statement::IfLane { lanes, then, otherwise }),
        4 => (rounds, inner()).prop_map(|(rounds, body)| Statement::Loop { rounds, body }),
    ]
    .boxed()
}

/// Returns the name of a register of a kind.
fn register(kind: &str, pick: u8) -> String {
    let (_, name, count) = REGISTERS.iter().find(|(its, ..)| *its == kind).expect("a kind of register");
    format!("{name}{}", pick % count)
}

/// Fills in the operands of an instruction. Also returns the first operand.
fn filled(row: &str, picks: &[u8; 6]) -> (String, String) {
    let (name, operands) = row.split_once(' ').unwrap_or((row, ""));
    let operand = |(operand, &pick): (&str, &u8)| match operand {
        "#" => (i32::from(pick as i8) / 2).to_string(),
        "R" | "F" | "D" | "E" | "H" | "P" => register(operand, pick),
        as_it_is => as_it_is.to_owned(),
    };
    let operands: Vec<String> = operands.split(", ").zip(picks).map(operand).collect();
    (format!("{name} {}", operands.join(", ")), operands[0].clone())
}

fn guarded(guard: Option<(u8, bool)>) -> String {
    guard.map_or_else(String::new, |(n, holds)| format!("@{}%p{n} ", if holds { "" } else { "!" }))
}

impl Place {
    /// Returns instructions that compute the address in `%at`, the state space, and the address operand.
    fn written(self, bytes: u32) -> (String, &'static str, String) {
        let (space, base, size) = match self.memory {
            Memory::Input => (".global", "%in", BUFFER_BYTES),
            Memory::Output => (".global", "%out", BUFFER_BYTES),
            Memory::Generic => ("", "%generic", BUFFER_BYTES),
            Memory::Shared => (".shared", "%s", SHARED_BYTES),
            Memory::Bytes => (".shared", "%t", BYTE_ARRAY_BYTES),
            Memory::Local => (".local", "%l", 64),
        };
        let (r, mask) = (self.register, size / bytes - 1);
        let index = match self.index {
            Index::Thread => format!("mov.u32 %i, %tid.x; mul.wide.u32 %at, %i, {bytes};"),
            Index::Within => format!("and.b32 %i, %r{r}, {mask}; mul.wide.u32 %at, %i, {bytes};"),
            Index::Anywhere => format!("mul.wide.s32 %at, %r{r}, {bytes};"),
            Index::Strided => format!("mul.wide.s32 %at, %r{r}, {};", 2 * bytes),
            Index::Uneven => format!("cvt.s64.s32 %at, %r{r};"),
            Index::Wide => format!("and.b64 %at, %d{}, {mask}; mul.lo.s64 %at, %at, {bytes};", r % 3),
            Index::Same => format!(
                "shfl.sync.idx.b32 %i, %r{r}, 0, 31, -1; and.b32 %i, %i, {mask}; mul.wide.u32 %at, %i, {bytes};"
            ),
        };
        (format!("{index} add.s64 %at, %at, {base};"), space, format!("[%at+{}]", self.offset))
    }
}

/// Writes PTX.
#[derive(Default)]
struct Writer {
    text: String,
    labels: u32,
    /// Labels of the enclosing loops, innermost last.
    ends: Vec<u32>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string takes all");
    }

    fn all(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.one(statement);
        }
    }

    fn one(&mut self, statement: &Statement) {
        match statement {
            Statement::Row { row, picks, guard } => {
                self.line(&format!("{}{};", guarded(*guard), filled(row, picks).0));
            }
            Statement::Access { of, store, place, picks, guard } => {
                let (name, bytes, kinds) = ACCESSES[*of];
                let (index, space, address) = place.written(bytes);
                // The registers of a vector must all be different.
                let each = kinds.split(' ').zip(picks[0] % 64..).map(|(kind, pick)| match kind {
                    "_" if *store => register("F", pick),
                    "_" => "_".to_owned(),
                    kind => register(kind, pick),
                });
                let registers: Vec<String> = each.collect();
                let registers = match &registers[..] {
                    [one] => one.clone(),
                    several => format!("{{{}}}", several.join(", ")),
                };
                let guard = guarded(*guard);
                self.line(&match store {
                    true => format!("{index} {guard}st{space}.{name} {address}, {registers};"),
                    false => format!("{index} {guard}ld{space}.{name} {registers}, {address};"),
                });
            }
            Statement::Atomic { of, place, picks } => {
                let (name, operand) = ATOMICS[*of];
                let memory = if name.contains("shared") { Memory::Shared } else { Memory::Output };
                let (index, _, address) = Place { memory, ..*place }.written(4);
                let mut later = *picks;
                later.rotate_left(1);
                let (operation, operand) = (filled(name, picks).0, filled(&format!("x {operand}"), &later).0);
                let comma = if name.contains(' ') { "," } else { "" };
                self.line(&format!("{index} {operation}{comma} {address}, {};", &operand[2..]));
            }
            Statement::If { row, picks, then } => {
                self.labels += 1;
                let label = self.labels;
                let (condition, predicate) = filled(row, picks);
                self.line(&format!("{condition}; @{predicate} bra E{label};"));
                self.all(then);
                self.line(&format!("E{label}:"));
            }
            Statement::IfLane { lanes, then, otherwise } => {
                self.labels += 1;
                let label = self.labels;
                self.line(&format!(
                    "mov.u32 %i, %lanemask_eq; and.b32 %i, %i, {lanes}; setp.eq.u32 %q, %i, 0; @%q bra L{label};"
                ));
                self.all(then);
                if !otherwise.is_empty() {
                    self.line(&format!("bra E{label};"));
                }
                self.line(&format!("L{label}:"));
                self.all(otherwise);
                self.line(&format!("E{label}:"));
            }
            Statement::Loop { rounds, body } => {
                self.labels += 1;
                let label = self.labels;
                let most = match rounds {
                    Ok(rounds) => rounds.to_string(),
                    Err(r) => {
                        self.line(&format!("and.b32 %m{label}, %r{r}, 7;"));
                        format!("%m{label}")
                    }
                };
                self.line(&format!("mov.u32 %n{label}, 0;\nL{label}:"));
                self.ends.push(label);
                self.all(body);
                self.ends.pop();
                self.line(&format!(
                    "add.u32 %n{label}, %n{label}, 1; setp.lt.u32 %q, %n{label}, {most}; @%q bra L{label};\nE{label}:"
                ));
            }
            Statement::Sweep { output, to } => {
                self.labels += 1;
                let label = self.labels;
                let base = if *output { "%out" } else { "%in" };
                self.line(&format!(
                    "mov.u32 %n{label}, %tid.y; mov.u32 %m{label}, %ntid.x; mul.lo.u32 %n{label}, %n{label}, %m{label};\n\
                     mov.u32 %i, %tid.x; add.u32 %n{label}, %n{label}, %i; shl.b32 %n{label}, %n{label}, 2;\n\
                     mov.u32 %i, %ntid.y; mul.lo.u32 %m{label}, %m{label}, %i; shl.b32 %m{label}, %m{label}, 2;\n\
                     L{label}: cvt.u64.u32 %at, %n{label}; add.s64 %at, %at, {base}; ld.global.u32 %r{to}, [%at];\n\
                     add.u32 %n{label}, %n{label}, %m{label}; setp.lt.u32 %q, %n{label}, {BUFFER_BYTES}; @%q bra L{label};"
                ));
            }
            Statement::Break { predicate } => self.line(&match self.ends.last() {
                Some(end) => format!("@%p{predicate} bra E{end};"),
                None => format!("@%p{predicate} ret;"),
            }),
            Statement::Call { to, from } => self.line(&format!(
                "{{ .param .b32 pa; .param .b32 pr; st.param.b32 [pa], %r{from}; call.uni (pr), g, (pa); \
                 ld.param.b32 %r{to}, [pr]; }}"
            )),
            Statement::Unwritten { to } => self.line(&format!("mov.u32 %r{to}, %u;")),
        }
    }
}

/// Returns a module with the kernel `k(in, out, n)`.
pub fn kernel(statements: &[Statement]) -> String {
    let mut writer = Writer::default();
    writer.all(statements);
    let (body, labels) = (&writer.text, writer.labels + 1);
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .func (.param .b32 result) g(.param .b32 a) {{ .reg .b32 %x; .reg .pred %q; ld.param.b32 %x, [a];\n\
         setp.gt.s32 %q, %x, 50; @%q bra S; add.s32 %x, %x, 3;\nS: st.param.b32 [result], %x; ret; }}\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{\n\
         .reg .b32 %r<6>, %i, %u, %n<{labels}>, %m<{labels}>; .reg .f32 %f<4>; .reg .b64 %d<3>; .reg .f64 %e<2>;\n\
         .reg .b16 %h<3>; .reg .b64 %in, %out, %generic, %at, %s, %t, %l; .reg .pred %p<3>, %q;\n\
         .shared .align 16 .b8 s[{SHARED_BYTES}]; .shared .align 1 .b8 t[{BYTE_ARRAY_BYTES}];\n\
         .local .align 16 .b8 l[64];\n\
         ld.param.u64 %in, [in]; ld.param.u64 %generic, [out]; cvta.to.global.u64 %out, %generic;\n\
         mov.u64 %s, s; mov.u64 %t, t; mov.u64 %l, l;\n\
         mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.y;\n\
         mad.lo.s32 %r4, %r1, %r2, %r0; ld.param.u32 %r5, [n];\n\
         cvt.rn.f32.s32 %f0, %r4; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f7F800000; mov.f32 %f3, 0f00000000;\n\
         cvt.s64.s32 %d0, %r4; mov.u64 %d1, 5; cvt.u64.u32 %d2, %r5; cvt.f64.f32 %e0, %f0; mov.f64 %e1, 0d3FF0000000000000;\n\
         cvt.u16.u32 %h0, %r0; mov.u16 %h1, 15360; mov.u16 %h2, 0;\n\
         setp.lt.s32 %p0, %r0, 7; setp.gt.s32 %p1, %r5, 100; setp.eq.s32 %p2, %r5, -99;\n\
         {body}\nret;\n}}\n"
    )
}
