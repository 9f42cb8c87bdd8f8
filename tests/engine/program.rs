//! Random structured programs in PTX, for properties that must hold of any program.

use proptest::prelude::*;

/// Registers that programs compute with: `%r0` to `%r5`, 32 bits.
pub const REGISTERS: u32 = 6;

/// One statement. Loops are bounded, so that every program ends.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `d = a OP b`
    Compute { op: usize, d: u32, a: u32, b: u32 },
    /// `d = a OP constant`
    Constant { op: usize, d: u32, a: u32, value: u32 },
    /// On a bit of a register.
    If { register: u32, bit: u32, then: Vec<Statement>, otherwise: Vec<Statement> },
    /// As often as the low two bits of a register say.
    Loop { register: u32, body: Vec<Statement> },
    /// Leaves the loop it stands in on a bit of a register; nothing outside a loop.
    Break { register: u32, bit: u32 },
    /// A thread leaves the kernel on a bit of a register that was masked with `mask`.
    Leave { register: u32, bit: u32 },
    /// Calls a function that changes a register, itself with a branch inside.
    Call { register: u32 },
}

const OPS: [&str; 9] =
    ["add.s32", "sub.s32", "mul.lo.s32", "xor.b32", "and.b32", "or.b32", "shl.b32", "shr.u32", "max.s32"];

pub fn programs() -> impl Strategy<Value = Vec<Statement>> {
    let register = || 0..REGISTERS;
    let leaf = prop_oneof![
        4 => (0..OPS.len(), register(), register(), register())
            .prop_map(|(op, d, a, b)| Statement::Compute { op, d, a, b }),
        3 => (0..OPS.len(), register(), register(), any::<u32>())
            .prop_map(|(op, d, a, value)| Statement::Constant { op, d, a, value }),
        1 => (register(), 0..32u32).prop_map(|(register, bit)| Statement::Break { register, bit }),
        1 => (register(), 0..32u32).prop_map(|(register, bit)| Statement::Leave { register, bit }),
        1 => register().prop_map(|register| Statement::Call { register }),
    ];
    let statement = leaf.prop_recursive(4, 40, 5, move |inner| {
        let list = prop::collection::vec(inner, 0..5);
        prop_oneof![
            (0..REGISTERS, 0..8u32, list.clone(), list.clone()).prop_map(
                |(register, bit, then, otherwise)| { Statement::If { register, bit, then, otherwise } }
            ),
            (0..REGISTERS, list).prop_map(|(register, body)| Statement::Loop { register, body }),
        ]
    });
    prop::collection::vec(statement, 1..10)
}

#[derive(Default)]
struct Writer {
    text: String,
    labels: u32,
    counters: u32,
}

impl Writer {
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn line(&mut self, line: String) {
        self.text.push_str("    ");
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn test(&mut self, register: u32, bit: u32) {
        self.line(format!("and.b32 %t, %r{register}, {};", 1u32 << bit));
        self.line("setp.ne.u32 %p, %t, 0;".to_string());
    }

    fn statements(&mut self, statements: &[Statement], end_of_loop: Option<&str>) {
        for statement in statements {
            match statement {
                Statement::Compute { op, d, a, b } => {
                    self.line(format!("{} %r{d}, %r{a}, %r{b};", OPS[*op]));
                }
                Statement::Constant { op, d, a, value } => {
                    self.line(format!("{} %r{d}, %r{a}, {value};", OPS[*op]));
                }
                Statement::If { register, bit, then, otherwise } => {
                    let (other, end) = (self.label(), self.label());
                    self.test(*register, *bit);
                    self.line(format!("@!%p bra {other};"));
                    self.statements(then, end_of_loop);
                    self.line(format!("bra {end};"));
                    self.line(format!("{other}:"));
                    self.statements(otherwise, end_of_loop);
                    self.line(format!("{end}:"));
                }
                Statement::Loop { register, body } => {
                    let (start, end) = (self.label(), self.label());
                    let counter = self.counters;
                    self.counters += 1;
                    self.line(format!("and.b32 %c{counter}, %r{register}, 3;"));
                    self.line(format!("{start}:"));
                    self.line(format!("setp.eq.u32 %p, %c{counter}, 0;"));
                    self.line(format!("@%p bra {end};"));
                    self.line(format!("sub.u32 %c{counter}, %c{counter}, 1;"));
                    self.statements(body, Some(&end));
                    self.line(format!("bra {start};"));
                    self.line(format!("{end}:"));
                }
                Statement::Break { register, bit } => {
                    if let Some(end) = end_of_loop {
                        self.test(*register, *bit);
                        self.line(format!("@%p bra {end};"));
                    }
                }
                Statement::Leave { register, bit } => {
                    self.test(*register, *bit);
                    self.line("@%p bra DONE;".to_string());
                }
                Statement::Call { register } => self.line(format!(
                    "{{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r{register}; \
                     call (b), twist, (a); ld.param.b32 %r{register}, [b]; }}"
                )),
            }
        }
    }
}

/// The program as a kernel `program(out)`: thread `i` of the grid starts from its number and stores
/// its registers at `out[i * REGISTERS ..]`.
pub fn ptx(statements: &[Statement]) -> String {
    let mut writer = Writer::default();
    writer.statements(statements, None);
    let counters = writer.counters.max(1);
    let first: String = (0..REGISTERS)
        .map(|r| {
            format!("    mul.lo.u32 %r{r}, %i, {};\n", [1u32, 3, 0x9e37_79b9, 7, 0x8000_0001, 11][r as usize])
        })
        .collect();
    let stores: String =
        (0..REGISTERS).map(|r| format!("    st.global.u32 [%o+{}], %r{r};\n", r * 4)).collect();
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .func (.param .b32 result) twist(.param .b32 x) {{\n\
         .reg .b32 %x; .reg .pred %q;\n\
         ld.param.b32 %x, [x];\nand.b32 %x, %x, 0x00ffffff;\nsetp.gt.u32 %q, %x, 1000;\n\
         @%q bra BIG;\nmul.lo.u32 %x, %x, 17;\nbra OUT;\nBIG: add.u32 %x, %x, 5;\n\
         OUT: st.param.b32 [result], %x;\nret;\n}}\n\
         .visible .entry program(.param .u64 out) {{\n\
         .reg .b32 %r<{REGISTERS}>; .reg .b32 %c<{counters}>; .reg .b32 %t, %i, %n; .reg .pred %p;\n\
         .reg .b64 %o, %w;\n\
         mov.u32 %i, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmov.u32 %t, %tid.x;\nmad.lo.u32 %i, %i, %n, %t;\n\
         {first}{}\nDONE:\n\
         ld.param.u64 %o, [out];\nmul.wide.u32 %w, %i, {};\nadd.u64 %o, %o, %w;\n{stores}    ret;\n}}\n",
        writer.text,
        REGISTERS * 4
    )
}
