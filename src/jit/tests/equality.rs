//! Runs random host code interpreted and as machine code: return values, findings, memory and counts must be the
//! same.

use proptest::prelude::*;
use sim::compiled::CompileWhen;
use sim::{Call, Environment, Finding, HostLimits, HostThread, Module, Stop};

/// Size in bytes of the memory that programs work on. Its second half starts unwritten.
const BYTES: u64 = 2048;

/// The observable effects of a program.
#[derive(Debug, PartialEq)]
struct Done {
    end: Result<u64, Stop>,
    instructions: u64,
    memory: Vec<u8>,
    notes: Vec<(u32, u64)>,
    found: Vec<Finding>,
}

#[derive(Default)]
struct Surroundings {
    notes: Vec<(u32, u64)>,
    found: Vec<Finding>,
}

impl Environment for Surroundings {
    fn call(&mut self, thread: &mut HostThread<'_>, call: &Call<'_>) -> Result<(), Stop> {
        self.notes.push((call.u32(0), thread.instructions()));
        thread.set_result_u32(call.u32(0) ^ 5);
        Ok(())
    }
    fn load(&mut self, _: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        out.fill(address as u8);
        Ok(())
    }
    fn store(&mut self, _: &mut HostThread<'_>, _: u64, _: &[u8]) -> Result<(), Stop> {
        Ok(())
    }
    fn found(&mut self, _: &HostThread<'_>, finding: Finding, _: Option<u64>) {
        self.found.push(finding);
    }
}

/// Runs `main`. Also returns the number of instructions executed by machine code.
fn run(module: &Module, limit: u64, when: Option<CompileWhen>, args: &[u64]) -> (Done, u64) {
    let limits = HostLimits { instructions: limit, ..HostLimits::default() };
    let mut thread = HostThread::new(module, limits).unwrap();
    thread.follow_undefined(true);
    if let (Some(when), Some(emitter)) = (when, gpulearn_jit::emitter()) {
        thread.compile_with(emitter, when);
    }
    let start = thread.memory_mut().allocate(BYTES, 16).unwrap();
    let numbers = [
        0u32,
        1,
        0xffff_ffff,
        0x7fc0_0001,
        0x3f80_0000,
        0xff80_0000,
        0xfbf9_fdfb,
        0x8000_0000,
        0x4120_0000,
        0xf9fa_fbfc,
        0x7ff4_0000,
        0xfbf9_fdfa,
        0x0000_0300,
        0xbf00_0000,
        0x3ff0_0000,
        0x1234_5678,
    ];
    let first: Vec<u8> = (0..BYTES as usize / 8)
        .flat_map(|n| numbers[n * 7 % 16].rotate_left(n as u32 / 64).to_le_bytes())
        .collect();
    thread.memory_mut().write(start, &first).unwrap();
    let mut surroundings = Surroundings::default();
    let args: Vec<u64> = std::iter::once(start).chain(args.iter().copied()).collect();
    let end = thread.run(&mut surroundings, "main", &args);
    let instructions = thread.instructions();
    let mut memory = vec![0; BYTES as usize];
    thread.memory().read(start, &mut memory).unwrap();
    let Surroundings { notes, found } = surroundings;
    (Done { end, instructions, memory, notes, found }, thread.compiled_instructions())
}

/// Instruction templates. Placeholders: `R` is a register of 32 bits, `W` of 64 and `H` of 16; `F` and `D` are
/// single- and double-precision floats, `P` a predicate, `A` an address that is mostly within the memory, `S` a
/// small number.
const INSTRUCTIONS: &[&str] = &[
    "add.s32 R, R, R;",
    "sub.u32 R, R, R;",
    "mul.lo.s32 R, R, R;",
    "mad.lo.s32 R, R, R, R;",
    "add.s32 R, R, S;",
    "mul.wide.s32 W, R, R;",
    "mul.wide.u32 W, R, S;",
    "mad.wide.u32 W, R, R, W;",
    "mul.hi.u32 R, R, R;",
    "mul.hi.s64 W, W, W;",
    "mul.hi.s32 R, R, R;",
    "add.s64 W, W, W;",
    "sub.s64 W, W, W;",
    "mul.lo.s64 W, W, W;",
    "div.s32 R, R, S;",
    "rem.u32 R, R, S;",
    "div.s64 W, W, S;",
    "rem.s32 R, R, R;",
    "div.u64 W, W, W;",
    "min.s32 R, R, R;",
    "max.u32 R, R, R;",
    "min.u64 W, W, W;",
    "max.s64 W, W, W;",
    "abs.s32 R, R;",
    "neg.s64 W, W;",
    "and.b32 R, R, R;",
    "or.b64 W, W, W;",
    "xor.b32 R, R, R;",
    "not.b32 R, R;",
    "shl.b32 R, R, S;",
    "shl.b64 W, W, R;",
    "shr.u32 R, R, R;",
    "shr.s32 R, R, S;",
    "shr.s64 W, W, R;",
    "shr.u64 W, W, S;",
    "clz.b32 R, R;",
    "popc.b64 R, W;",
    "bfe.u32 R, R, S, S;",
    "prmt.b32 R, R, R, R;",
    "shf.l.wrap.b32 R, R, R, S;",
    "selp.b32 R, R, R, P;",
    "selp.b64 W, W, W, P;",
    "selp.f32 F, F, F, P;",
    "selp.f64 D, D, D, P;",
    "mov.u32 R, R;",
    "mov.f32 F, F;",
    "mov.b64 D, W;",
    "mov.b32 F, R;",
    "mov.b32 R, F;",
    "mov.b64 W, D;",
    "mov.b64 W, {R, R};",
    "mov.b64 {R, R}, W;",
    "cvt.s64.s32 W, R;",
    "cvt.u64.u32 W, R;",
    "cvt.u32.u64 R, W;",
    "cvt.u32.u8 R, R;",
    "cvt.s32.s16 R, R;",
    "cvt.s16.s32 H, R;",
    "cvt.u32.u16 R, H;",
    "add.s16 H, H, H;",
    "mul.lo.s16 H, H, H;",
    "shr.s16 H, H, S;",
    "div.s16 H, H, H;",
    "and.b16 H, H, H;",
    "mov.u16 H, H;",
    "cvt.s32.s8 R, R;",
    "cvt.rn.f32.s32 F, R;",
    "cvt.rn.f32.u32 F, R;",
    "cvt.rn.f64.s64 D, W;",
    "cvt.rn.f32.u64 F, W;",
    "cvt.rn.f64.u32 D, R;",
    "cvt.rzi.s32.f32 R, F;",
    "cvt.rzi.u32.f64 R, D;",
    "cvt.rzi.s64.f64 W, D;",
    "cvt.rzi.u64.f32 W, F;",
    "cvt.f64.f32 D, F;",
    "cvt.rn.f32.f64 F, D;",
    "cvt.rz.f32.f64 F, D;",
    "cvt.sat.u8.s32 R, R;",
    "add.f32 F, F, F;",
    "sub.f32 F, F, F;",
    "mul.f32 F, F, F;",
    "fma.rn.f32 F, F, F, F;",
    "div.rn.f32 F, F, F;",
    "sqrt.rn.f32 F, F;",
    "neg.f32 F, F;",
    "abs.f32 F, F;",
    "min.f32 F, F, F;",
    "max.f32 F, F, F;",
    "add.ftz.f32 F, F, F;",
    "add.rz.f32 F, F, F;",
    "add.sat.f32 F, F, F;",
    "ex2.approx.f32 F, F;",
    "rcp.rn.f32 F, F;",
    "add.f64 D, D, D;",
    "sub.f64 D, D, D;",
    "mul.f64 D, D, D;",
    "fma.rn.f64 D, D, D, D;",
    "div.rn.f64 D, D, D;",
    "sqrt.rn.f64 D, D;",
    "neg.f64 D, D;",
    "max.f64 D, D, D;",
    "min.f64 D, D, D;",
    "setp.lt.s32 P, R, R;",
    "setp.ge.u32 P, R, R;",
    "setp.eq.s64 P, W, W;",
    "setp.hi.u64 P, W, W;",
    "setp.lt.f32 P, F, F;",
    "setp.neu.f32 P, F, F;",
    "setp.geu.f64 P, D, D;",
    "setp.num.f64 P, D, D;",
    "setp.ne.f32 P, F, F;",
    "setp.lt.and.s32 P, R, R, P;",
    "and.pred P, P, P;",
    "xor.pred P, P, P;",
    "not.pred P, P;",
    "mov.pred P, P;",
    "@P add.s32 R, R, S;",
    "@!P mul.f32 F, F, F;",
    "ld.u32 R, A;",
    "ld.s32 R, A;",
    "ld.u8 R, A;",
    "ld.s8 R, A;",
    "ld.u16 H, A;",
    "ld.s16 R, A;",
    "ld.f32 F, A;",
    "ld.u64 W, A;",
    "ld.f64 D, A;",
    "ld.s32 W, A;",
    "ld.u8 W, A;",
    "ld.v2.f32 {F, F}, A;",
    "@P ld.u32 R, A;",
    "st.u32 A, R;",
    "st.u8 A, R;",
    "st.u16 A, H;",
    "st.f32 A, F;",
    "st.u64 A, W;",
    "st.f64 A, D;",
    "st.v2.u32 A, {R, R};",
    "@P st.u32 A, R;",
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], R; call (b), note, (a); ld.param.b32 R, [b]; }",
    "atom.add.u32 R, A, R;",
    "st.local.u32 [%spl+8], R;",
    "st.u64 [%sp+24], W;",
    "ld.local.u32 R, [%spl+8];",
    "ld.local.u32 R, [%spl+16];",
    "ld.u64 W, [%sp+24];",
    "ld.local.u8 R, [%spl+45];",
    "add.s64 W, %sp, 8;",
    "{ .param .align 8 .b8 a[20]; .param .align 8 .b8 b[13]; st.param.b64 [a], W; st.param.b32 [a+8], R; \
     st.param.b32 [a+12], R; st.param.f32 [a+16], F; call (b), mix, (a); ld.param.b32 R, [b]; \
     ld.param.b64 W, [b]; ld.param.b32 R, [b+8]; ld.param.b8 R, [b+12]; }",
    "CALL",
    "CALL",
    "CALL",
    "CALL",
];

/// Number of functions that programs call. Each calls the others and itself, to the depth given by its last
/// parameter.
const FUNCTIONS: u32 = 3;

/// A function that takes a struct apart and assembles another.
const MIX: &str = ".func (.param .align 8 .b8 r[13]) mix(.param .align 8 .b8 s[20]) {\n\
    .reg .b32 %x, %y, %z; .reg .b64 %w; .reg .f32 %f;\n\
    ld.param.u64 %w, [s]; ld.param.u32 %x, [s+8]; ld.param.u32 %y, [s+12]; ld.param.f32 %f, [s+16];\n\
    mov.b32 %z, %f; add.s32 %z, %z, %y; st.param.b32 [r], %x; st.param.b32 [r+4], %z;\n\
    cvt.u32.u64 %y, %w; st.param.b32 [r+8], %y; st.param.b8 [r+12], %x; ret;\n}\n";

/// Writes the PTX of a program: nested loops of instructions that are chosen by `numbers`.
struct Writer<'n> {
    numbers: &'n [u32],
    at: usize,
    labels: usize,
    text: String,
}

impl Writer<'_> {
    /// Returns the next number, reduced to less than `below`.
    fn number(&mut self, below: u32) -> u32 {
        let number = self.numbers.get(self.at % self.numbers.len()).copied().unwrap_or(0);
        self.at += 1;
        number.wrapping_add((self.at / self.numbers.len()) as u32 * 7) % below
    }

    fn instruction(&mut self) {
        let of = INSTRUCTIONS[self.number(INSTRUCTIONS.len() as u32) as usize];
        if of == "CALL" {
            return self.call();
        }
        if of.contains(" A") {
            let mask = [248, 1016, 1016, 2040, 4088][self.number(5) as usize];
            let mask = if mask == 4088 && self.number(8) != 0 { 504 } else { mask };
            let from = self.number(4);
            self.text +=
                &format!("and.b32 %x, %r{from}, {mask};\ncvt.u64.u32 %a, %x;\nadd.s64 %a, %a, %m;\n");
        }
        let mut line = String::new();
        let words = of.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
        for word in words {
            let (name, rest) =
                word.split_at(word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).len());
            line += &match name {
                "R" => format!("%r{}", self.number(4)),
                "W" => format!("%w{}", self.number(3)),
                "F" => format!("%f{}", self.number(3)),
                "D" => format!("%d{}", self.number(3)),
                "H" => format!("%h{}", self.number(2)),
                "P" => format!("%p{}", self.number(3)),
                "S" => [1, 2, 3, 7, 10, 31, 32, 100][self.number(8) as usize].to_string(),
                "A" => format!("[%a+{}]", [0, 0, 0, 8, 8, 4, 1][self.number(7) as usize]),
                other => other.to_string(),
            };
            line += rest;
        }
        self.text += &line;
        self.text.push('\n');
    }

    /// Writes a call of a function by name, or of one of two functions by address.
    fn call(&mut self) {
        let label = self.labels;
        self.labels += 1;
        let memory = if self.number(16) == 0 { "%sp" } else { "%m" };
        let (n, s, to) = (self.number(4), self.number(3), self.number(3));
        let (one, other) = (self.number(FUNCTIONS), self.number(FUNCTIONS));
        let (choice, callee) = match self.number(2) {
            0 => (String::new(), format!("f{one}, (pm, pn, ps, pk)")),
            _ => (
                format!(
                    "mov.u64 %a, f{one}; mov.u64 %b, f{other}; selp.b64 %a, %a, %b, %p{};",
                    self.number(3)
                ),
                "%a, (pm, pn, ps, pk), prototype".to_string(),
            ),
        };
        self.text += &format!(
            "setp.eq.u32 %q, %k, 0;\n@%q bra L{label};\n{choice}\n\
             {{ .param .b64 pm; .param .b32 pn; .param .b64 ps; .param .b32 pk; .param .b64 pr;\n\
             st.param.b64 [pm], {memory}; st.param.b32 [pn], %r{n}; st.param.b64 [ps], %w{s}; sub.u32 %x, %k, 1;\n\
             st.param.b32 [pk], %x; call (pr), {callee}; ld.param.b64 %w{to}, [pr]; }}\nL{label}:\n"
        );
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..1 + self.number(6) {
            match self.number(10) {
                0 if depth < 2 => self.repeat(depth),
                1 => {
                    let (label, predicate) = (self.labels, self.number(3));
                    self.labels += 1;
                    self.text += &format!("@%p{predicate} bra L{label};\n");
                    self.instruction();
                    self.instruction();
                    self.text += &format!("L{label}:\n");
                }
                _ => self.instruction(),
            }
        }
    }

    fn repeat(&mut self, depth: u32) {
        let label = self.labels;
        self.labels += 1;
        let rounds = if depth == 0 { "%n".to_string() } else { (1 + self.number(9)).to_string() };
        self.text += &format!("mov.u32 %i{depth}, 0;\nL{label}:\n");
        self.block(depth + 1);
        self.text += &format!(
            "add.s32 %i{depth}, %i{depth}, 1;\nadd.s32 %r0, %r0, 9;\nsetp.lt.u32 %q, %i{depth}, {rounds};\n@%q bra L{label};\n"
        );
    }
}

/// The signature by which functions are declared, since they call each other before all of them are defined.
const DECLARED: &str = "(.param .b64 r) NAME(.param .b64 m, .param .b32 n, .param .b64 s, .param .b32 k)";

/// Returns a function whose body is `text`, with `local_bytes` bytes of local variables.
fn function(name: &str, text: &str, local_bytes: u32) -> String {
    format!(
        ".func {} {{\n\
         .local .align 8 .b8 depot_{name}[{local_bytes}];\n\
         .reg .b32 %n, %k, %x, %r<4>, %i<3>; .reg .b64 %sp, %spl, %m, %a, %b, %w<3>; .reg .b16 %h<2>; .reg .f32 %f<3>;\n\
         .reg .f64 %d<3>; .reg .pred %q, %p<3>;\n\
         prototype: .callprototype (.param .b64 _) _ (.param .b64 _, .param .b32 _, .param .b64 _, .param .b32 _);\n\
         mov.u64 %spl, depot_{name}; cvta.local.u64 %sp, %spl;\n\
         ld.param.u64 %m, [m]; ld.param.u32 %n, [n]; ld.param.u64 %w0, [s]; ld.param.u32 %k, [k];\n\
         mov.u64 %w1, 77; mov.u64 %w2, -3; cvt.u32.u64 %r0, %w0; mov.u32 %r1, 12345; mov.u32 %r2, -7; mov.u32 %r3, %n;\n\
         mov.u16 %h0, 300; mov.u16 %h1, 9; mov.f32 %f0, 0f3FC00000; mov.f32 %f1, 0fC0400000; mov.f32 %f2, 0f00000001;\n\
         mov.f64 %d0, 0d3FF8000000000000; mov.f64 %d1, 0dC008000000000000; mov.f64 %d2, 0d4059000000000000;\n\
         setp.eq.u32 %p0, %r1, 1; setp.ne.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r0, 0;\n{text}\
         cvt.u64.u32 %a, %r0; xor.b64 %w0, %w0, %a; cvt.u64.u32 %a, %r1; xor.b64 %w0, %w0, %a;\n\
         mov.b64 %a, %d0; xor.b64 %w0, %w0, %a; mov.b32 %x, %f0; cvt.u64.u32 %a, %x; xor.b64 %w0, %w0, %a;\n\
         st.param.b64 [r], %w0; ret;\n}}\n",
        DECLARED.replace("NAME", name)
    )
}

fn program(numbers: &[u32]) -> String {
    let mut writer = Writer { numbers, at: 0, labels: 0, text: String::new() };
    writer.repeat(0);
    writer.repeat(0);
    let main = function("start", &writer.text, 48);
    let mut text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) note(.param .b32 a);\n{MIX}"
    );
    for n in 0..FUNCTIONS {
        text += &format!(".func {};\n", DECLARED.replace("NAME", &format!("f{n}")));
    }
    let order = writer.number(2);
    if order == 0 {
        text += &main;
    }
    for n in 0..FUNCTIONS {
        writer.text.clear();
        writer.block(1);
        let local_bytes = [48, 52, 63, 500][writer.number(4) as usize];
        text += &function(&format!("f{n}"), &writer.text, local_bytes);
    }
    if order != 0 {
        text += &main;
    }
    text + ".func (.param .b64 r) main(.param .b64 m, .param .b32 n, .param .b64 s, .param .b32 k) {\n\
        .reg .b64 %m, %s; .reg .b32 %n, %k;\n\
        ld.param.u64 %m, [m]; ld.param.u32 %n, [n]; ld.param.u64 %s, [s]; ld.param.u32 %k, [k];\n\
        { .param .b64 pm; .param .b32 pn; .param .b64 ps; .param .b32 pk; .param .b64 pr;\n\
        st.param.b64 [pm], %m; st.param.b32 [pn], %n; st.param.b64 [ps], %s; st.param.b32 [pk], %k;\n\
        call (pr), start, (pm, pn, ps, pk); ld.param.b64 %s, [pr]; }\n\
        st.param.b64 [r], %s; ret;\n}\n"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn machine_code_does_what_the_interpreter_does(
        numbers in prop::collection::vec(any::<u32>(), 20..120),
        rounds in 1u64..300,
        long in any::<bool>(),
        seed in any::<u64>(),
        deep in 0u64..5,
    ) {
        let text = program(&numbers);
        let module = Module::parse(&text).unwrap();
        // Long programs reach the limit in the middle.
        let (rounds, limit) = if long { (rounds * 400, 600_000) } else { (rounds, 3_000_000) };
        let args = [rounds, seed, deep];
        let (interpreted, none) = run(&module, limit, None, &args);
        prop_assert_eq!(none, 0);
        for when in [CompileWhen::Always, CompileWhen::Hot] {
            let (compiled, _) = run(&module, limit, Some(when), &args);
            prop_assert!(compiled == interpreted, "{when:?}\n{compiled:#?}\n{interpreted:#?}\n{text}");
        }
    }
}

/// Runs a program that does little but call functions, interpreted and as machine code. Returns whether it was
/// stopped.
fn stops(text: &str, args: &[u64]) -> bool {
    let module = Module::parse(text).unwrap();
    let (interpreted, _) = run(&module, u64::MAX, None, args);
    let mut most = 0;
    for when in [CompileWhen::Always, CompileWhen::Hot] {
        let (compiled, machine) = run(&module, u64::MAX, Some(when), args);
        assert_eq!(compiled, interpreted, "{when:?}");
        most = most.max(machine);
    }
    assert!(
        gpulearn_jit::emitter().is_none() || most * 3 > interpreted.instructions * 2,
        "{most} of {}",
        interpreted.instructions
    );
    interpreted.end.is_err()
}

/// Returns a program with a function that calls itself `n` deep, with `local_bytes` bytes of local variables,
/// several times in a row.
fn deep(local_bytes: u32) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func (.param .b32 r) down(.param .b64 m, .param .b32 n);\n\
        .func (.param .b32 r) down(.param .b64 m, .param .b32 n) {{\n\
        .local .align 8 .b8 depot[{local_bytes}]; .reg .b32 %n, %x, %y; .reg .b64 %m, %spl; .reg .pred %p;\n\
        mov.u64 %spl, depot; ld.param.u64 %m, [m]; ld.param.u32 %n, [n]; st.local.u32 [%spl+4], %n;\n\
        setp.eq.u32 %p, %n, 0; mov.u32 %y, 5; @%p bra OUT; sub.u32 %x, %n, 1;\n\
        {{ .param .b64 a; .param .b32 b; .param .b32 c; st.param.b64 [a], %m; st.param.b32 [b], %x;\n\
        call (c), down, (a, b); ld.param.b32 %y, [c]; }}\n\
        OUT: ld.local.u32 %x, [%spl+4]; mad.lo.s32 %y, %y, 3, %x; st.u32 [%m], %y; st.param.b32 [r], %y; ret;\n}}\n\
        .func (.param .b64 r) main(.param .b64 m, .param .b32 n) {{\n\
        .reg .b32 %n, %i, %y; .reg .b64 %m, %w; .reg .pred %p; ld.param.u64 %m, [m]; ld.param.u32 %n, [n]; mov.u32 %i, 0;\n\
        L: {{ .param .b64 a; .param .b32 b; .param .b32 c; st.param.b64 [a], %m; st.param.b32 [b], %n;\n\
        call (c), down, (a, b); ld.param.b32 %y, [c]; }}\n\
        add.s32 %i, %i, 1; setp.lt.u32 %p, %i, 12; @%p bra L;\n\
        cvt.u64.u32 %w, %y; st.param.b64 [r], %w; ret;\n}}\n"
    )
}

#[test]
fn functions_that_call_themselves_run_as_machine_code() {
    assert!(!stops(&deep(8), &[20]));
    // Deeper than the processor's stack has room for at once.
    assert!(!stops(&deep(8), &[20_000]));
    assert!(!stops(&deep(400), &[9_000]));
}

#[test]
fn a_stack_that_is_full_is_found_where_the_interpreter_finds_it() {
    assert!(stops(&deep(8), &[1 << 30]));
    assert!(stops(&deep(4000), &[1 << 30]));
}

/// A function with two variables, of which it sets an element of the first, called for ever higher elements.
const TWO_VARIABLES: &str = ".version 8.0\n.target sm_80\n.address_size 64\n\
    .func (.param .b32 r) two(.param .b32 n) {\n\
    .local .align 8 .b8 depot[24]; .reg .b32 %n, %x; .reg .b64 %sp, %spl, %a, %b, %o;\n\
    mov.u64 %spl, depot; cvta.local.u64 %sp, %spl; ld.param.u32 %n, [n];\n\
    add.u64 %a, %spl, 0; add.u64 %b, %sp, 16; st.u32 [%b], %n;\n\
    mul.wide.u32 %o, %n, 4; add.s64 %o, %a, %o; st.local.u32 [%o], 7;\n\
    ld.u32 %x, [%b]; st.param.b32 [r], %x; ret;\n}\n\
    .func (.param .b64 r) main(.param .b64 m, .param .b32 n) {\n\
    .reg .b32 %n, %i, %x, %y; .reg .b64 %w; .reg .pred %p; ld.param.u32 %n, [n]; mov.u32 %i, 0;\n\
    L: shr.u32 %x, %i, 12; { .param .b32 a; .param .b32 b; st.param.b32 [a], %x;\n\
    call (b), two, (a); ld.param.b32 %y, [b]; }\n\
    add.s32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;\n\
    cvt.u64.u32 %w, %y; st.param.b64 [r], %w; ret;\n}\n";

#[test]
fn a_variable_ends_before_the_next_one() {
    assert!(!stops(TWO_VARIABLES, &[4 << 12]));
    assert!(stops(TWO_VARIABLES, &[5 << 12]));
}

/// A loop over an array runs entirely as machine code.
#[test]
fn a_loop_runs_as_machine_code() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func (.param .b64 r) main(.param .b64 m, .param .b32 n) {\n\
        .reg .b32 %n, %i, %x, %s; .reg .b64 %m, %a, %w; .reg .pred %p;\n\
        ld.param.u64 %m, [m]; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.u32 %s, 0;\n\
        L: and.b32 %x, %i, 31; mul.wide.u32 %a, %x, 4; add.s64 %a, %a, %m; st.u32 [%a], %i; ld.u32 %x, [%a];\n\
        add.s32 %s, %s, %x; add.s32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;\n\
        cvt.u64.u32 %w, %s; st.param.b64 [r], %w; ret;\n}\n";
    let module = Module::parse(text).unwrap();
    let (interpreted, _) = run(&module, u64::MAX, None, &[1_000_000]);
    for (when, most_interpreted) in [(CompileWhen::Always, 100), (CompileWhen::Hot, 2_000_000)] {
        let (compiled, machine) = run(&module, u64::MAX, Some(when), &[1_000_000]);
        assert_eq!(compiled, interpreted);
        if gpulearn_jit::emitter().is_some() {
            assert!(compiled.instructions - machine < most_interpreted, "{when:?}: {machine}");
        }
    }
}
