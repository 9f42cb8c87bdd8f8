//! Which bytes a launch touched.

use super::{blocks, copy_words, module, run, two};
use gpulearn::sim::{ByteSet, KernelLaunch, Options, Owner};

/// First byte and one past the last of each stretch.
fn ranges(set: &ByteSet) -> Vec<(u64, u64)> {
    set.ranges().map(|range| (range.start, range.end)).collect()
}

#[test]
fn reads_and_writes_are_told_exactly() {
    let (mut machine, module) = (two(), copy_words());
    let from = machine.allocate(Owner::Pinned, "from", 64).unwrap();
    let to = machine.allocate(Owner::Device(0), "to", 64).unwrap();
    machine.write(from, &[1; 64]);
    let report = run(&mut machine, 0, &module, 5, &[to.into(), from.into()]);
    let [a, b] = &report.touched[..] else { panic!("{:?}", report.touched) };
    assert_eq!((a.base, b.base), (from, to));
    assert_eq!((ranges(&a.reads), ranges(&a.writes)), (vec![(0, 20)], vec![]));
    assert_eq!((ranges(&b.reads), ranges(&b.writes)), (vec![], vec![(0, 20)]));
}

#[test]
fn atomics_are_told_apart() {
    let module = module(
        ".visible .entry k(.param .u64 p) { .reg .b32 %v; .reg .b64 %p;\n\
         ld.param.u64 %p, [p]; atom.add.u32 %v, [%p+8], 1; st.u8 [%p+3], %v; ret; }",
    );
    let mut machine = two();
    let p = machine.allocate(Owner::Managed, "p", 16).unwrap();
    machine.write(p, &[0; 16]);
    let report = run(&mut machine, 1, &module, 1, &[p.into()]);
    let [touched] = &report.touched[..] else { panic!("{:?}", report.touched) };
    assert_eq!((ranges(&touched.atomics), ranges(&touched.writes)), (vec![(8, 12)], vec![(3, 4)]));
    assert!(touched.reads.is_empty());
}

/// The same on any number of host threads, and nothing unless asked for.
#[test]
fn host_threads_see_the_same() {
    let module = module(
        ".visible .entry k(.param .u64 p) {\n\
         .reg .b32 %t, %n, %b, %v; .reg .b64 %p, %at;\n\
         ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;\n\
         mad.lo.u32 %t, %b, %n, %t; mul.wide.u32 %at, %t, 8; add.u64 %p, %p, %at;\n\
         ld.u32 %v, [%p]; add.u32 %v, %v, 1; st.u16 [%p+4], %v; ret; }",
    );
    let mut seen = Vec::new();
    for (host_threads, touched) in [(1, true), (4, true), (4, false)] {
        let mut machine = two();
        let p = machine.allocate(Owner::Device(0), "p", 8 * 64 * 512).unwrap();
        machine.set(p, &[0], 8 * 64 * 512);
        let params = p.0.to_le_bytes();
        let asked = KernelLaunch::new(0, blocks(512, 64), &params);
        let options = Options { host_threads, touched, ..Options::default() };
        seen.push(machine.launch(0, &module, &asked, &options).unwrap().touched);
    }
    assert_eq!(seen[0], seen[1]);
    assert!(seen[2].is_empty());
    let touched = &seen[0][0];
    assert_eq!(ranges(&touched.reads).len(), 64 * 512);
    assert!(touched.reads.contains(8, 4) && !touched.reads.contains(12, 1));
    assert!(touched.writes.contains(12, 2) && !touched.writes.contains(14, 1));
}
