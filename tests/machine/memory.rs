//! Buffers, their owners, and who may use them.

use super::{copy_words, run, two};
use gpulearn::sim::{Address, CudaError, Evidence, FindingKind, HostPart, Owner, Report, Target};

/// The only finding, and what it says of the address.
fn only(report: &Report) -> (FindingKind, Target) {
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    (finding.kind, finding.at.target.clone())
}

#[test]
fn pinned_and_managed_memory_is_everybodys() {
    let (mut machine, module) = (two(), copy_words());
    let pinned = machine.allocate(Owner::Pinned, "pinned", 64).unwrap();
    let managed = machine.allocate(Owner::Managed, "managed", 64).unwrap();
    machine.write(pinned, &[7; 64]);
    for device in 0..2 {
        let report = run(&mut machine, device, &module, 16, &[managed.into(), pinned.into()]);
        assert_eq!(report.findings, []);
    }
    let mut out = [0; 64];
    assert_eq!(machine.read(managed, &mut out), 64);
    assert_eq!(out, [7; 64]);
}

#[test]
fn another_devices_memory_needs_peer_access() {
    let (mut machine, module) = (two(), copy_words());
    let near = machine.allocate(Owner::Device(0), "near", 64).unwrap();
    let far = machine.allocate(Owner::Device(1), "far", 64).unwrap();
    machine.write(far, &[1; 64]);
    let args = [near.into(), far.into()];
    let report = run(&mut machine, 0, &module, 16, &args);
    let (code, target) = only(&report);
    assert_eq!(code, FindingKind::OtherDevice);
    assert_eq!(target, Target::Buffer { name: "far".into(), size_bytes: 64, offset_bytes: 0 });
    let buffer = "far".into();
    assert_eq!(
        report.findings[0].evidence,
        [Evidence::OwnedBy { buffer, owner: 1, runs_on: 0, from_pool: false }]
    );

    assert!(machine.enable_peer(0, 1, true) && !machine.enable_peer(0, 1, true));
    assert!(machine.reaches(0, 1) && !machine.reaches(1, 0));
    assert_eq!(run(&mut machine, 0, &module, 16, &args).findings, []);
    assert_eq!(only(&run(&mut machine, 1, &module, 16, &args)).0, FindingKind::OtherDevice);

    assert!(machine.enable_peer(0, 1, false));
    assert_eq!(only(&run(&mut machine, 0, &module, 16, &args)).0, FindingKind::OtherDevice);
}

#[test]
fn memory_given_back_is_named() {
    let (mut machine, module) = (two(), copy_words());
    let out = machine.allocate(Owner::Device(0), "out", 64).unwrap();
    let gone = machine.allocate(Owner::Managed, "gone", 64).unwrap();
    machine.write(gone, &[1; 64]);
    assert!(machine.free(gone) && !machine.free(gone));
    assert!(!machine.free(Address(out.0 + 4)), "only a buffer's begin is freed");
    let (code, target) = only(&run(&mut machine, 0, &module, 4, &[out.into(), gone.into()]));
    assert_eq!(code, FindingKind::UseAfterFree);
    assert_eq!(target, Target::Buffer { name: "gone".into(), size_bytes: 64, offset_bytes: 0 });
    let info = machine.find(Address(gone.0 + 63)).unwrap();
    assert_eq!((info.base, info.freed, info.owner), (gone, true, Owner::Managed));
}

#[test]
fn pageable_memory_is_no_kernels() {
    let (mut machine, module) = (two(), copy_words());
    let out = machine.allocate(Owner::Device(0), "out", 64).unwrap();
    for (address, part) in [
        (0x5500_0000_1000u64, HostPart::Globals),
        (0x5600_0000_1000, HostPart::Heap),
        (0x5700_0000_1000, HostPart::Stack),
    ] {
        let found = only(&run(&mut machine, 0, &module, 4, &[out.into(), address.into()]));
        assert_eq!(found, (FindingKind::HostPointer, Target::Host { part }));
    }
    assert_eq!(
        only(&run(&mut machine, 0, &module, 4, &[out.into(), 0u64.into()])).0,
        FindingKind::NullPointer
    );
}

#[test]
fn a_copy_leaves_what_was_never_written_unwritten() {
    let (mut machine, module) = (two(), copy_words());
    let a = machine.allocate(Owner::Device(0), "a", 64).unwrap();
    let b = machine.allocate(Owner::Device(1), "b", 64).unwrap();
    let c = machine.allocate(Owner::Device(1), "c", 64).unwrap();
    machine.set(b, &[0], 64);
    machine.write(a, &[5; 32]);
    assert_eq!(machine.copy(b, a, 64), 64);
    assert!(machine.written(b, 64).ranges().eq(std::iter::once(0..32)));
    assert_eq!(run(&mut machine, 1, &module, 8, &[c.into(), b.into()]).findings, []);
    let (code, target) = only(&run(&mut machine, 1, &module, 9, &[c.into(), b.into()]));
    assert_eq!(code, FindingKind::Uninitialised);
    assert_eq!(target, Target::Buffer { name: "b".into(), size_bytes: 64, offset_bytes: 32 });
}

#[test]
fn copies_are_exact_at_every_offset() {
    let mut machine = two();
    let a = machine.allocate(Owner::Pinned, "a", 100).unwrap();
    let bytes: Vec<u8> = (0..100).collect();
    for (from, to, count) in [(0, 0, 100), (1, 6, 40), (6, 1, 40), (3, 4, 1), (90, 0, 10), (2, 95, 5)] {
        machine.write(a, &bytes);
        let mut expected = bytes.clone();
        expected.copy_within(from..from + count, to);
        assert_eq!(
            machine.copy(Address(a.0 + to as u64), Address(a.0 + from as u64), count as u64),
            count as u64
        );
        let mut out = vec![0; 100];
        machine.read(a, &mut out);
        assert_eq!(out, expected, "{count} bytes from {from} to {to}");
        let mut part = vec![0; count];
        machine.read(Address(a.0 + to as u64), &mut part);
        assert_eq!(part, expected[to..to + count]);
    }
}

#[test]
fn sets_repeat_their_pattern() {
    let mut machine = two();
    for (offset, pattern, bytes) in [
        (0, &[9u8][..], 40),
        (3, &[9], 2),
        (1, &[9], 6),
        (2, &[1, 2], 30),
        (8, &[1, 2, 3, 4], 16),
        (39, &[5], 9),
    ] {
        let a = machine.allocate(Owner::Device(0), "a", 40).unwrap();
        machine.write(a, &[0; 40]);
        let inside = machine.set(Address(a.0 + offset), pattern, bytes);
        assert_eq!(inside, bytes.min(40 - offset));
        let mut out = [0; 40];
        machine.read(a, &mut out);
        for (at, byte) in out.iter().enumerate() {
            let within = (offset..offset + inside).contains(&(at as u64));
            let value = if within { pattern[(at - offset as usize) % pattern.len()] } else { 0 };
            assert_eq!(*byte, value, "byte {at} of {pattern:?} at {offset}");
        }
    }
}

/// Programs allocate and free in loops; what is alive must not move, what is gone must not cost.
#[test]
fn many_buffers_come_and_go() {
    let mut machine = two();
    let kept = machine.allocate(Owner::Device(0), "kept", 4).unwrap();
    machine.write(kept, &[1, 2, 3, 4]);
    let mut last = kept;
    for _ in 0..50_000 {
        let next = machine.allocate(Owner::Device(0), "passing", 100).unwrap();
        assert!(next > last && machine.free(next));
        last = next;
    }
    assert!(machine.find(last).unwrap().freed);
    let mut out = [0; 4];
    machine.read(kept, &mut out);
    assert_eq!(out, [1, 2, 3, 4]);
    assert_eq!(machine.live().count(), 1);
    let (free, all) = machine.memory_bytes(0).unwrap();
    assert_eq!(all - free, 4);
}

#[test]
fn a_device_gives_no_more_than_it_has() {
    let gpu = gpulearn::sim::Gpu { memory_bytes: 1000, ..gpulearn::sim::Gpu::new(8, 0) };
    let mut machine = gpulearn::sim::Machine::new(&[gpu]);
    let a = machine.allocate(Owner::Device(0), "a", 600).unwrap();
    let error = machine.allocate(Owner::Device(0), "b", 600).unwrap_err();
    assert_eq!(error.error(), Some(CudaError::MemoryAllocation));
    let said = error.to_string();
    assert!(said.contains("`b`") && said.contains("1000"), "{said}");
    machine.free(a);
    machine.allocate(Owner::Device(0), "b", 600).unwrap();
    machine.allocate(Owner::Pinned, "c", 6000).unwrap();
    assert_eq!(
        machine.allocate(Owner::Device(1), "d", 1).unwrap_err().error(),
        Some(CudaError::InvalidDevice)
    );
}

#[test]
fn a_buffer_of_no_bytes_has_an_address() {
    let (mut machine, module) = (two(), copy_words());
    let none = machine.allocate(Owner::Device(0), "none", 0).unwrap();
    let out = machine.allocate(Owner::Device(0), "out", 4).unwrap();
    assert_eq!(machine.find(none).unwrap().bytes, 0);
    assert_eq!(machine.write(none, &[1]), 0);
    let (code, target) = only(&run(&mut machine, 0, &module, 1, &[out.into(), none.into()]));
    assert_eq!(code, FindingKind::OutOfBounds);
    assert_eq!(target, Target::Buffer { name: "none".into(), size_bytes: 0, offset_bytes: 0 });
}

#[test]
fn a_reset_gives_back_what_a_device_had() {
    let (mut machine, module) = (two(), copy_words());
    let near = machine.allocate(Owner::Device(0), "near", 64).unwrap();
    let other = machine.allocate(Owner::Device(1), "other", 64).unwrap();
    let managed = machine.allocate(Owner::Managed, "managed", 64).unwrap();
    machine.write(managed, &[1; 64]);
    machine.enable_peer(0, 1, true);
    assert!(machine.reset(0) && !machine.reset(2));
    assert!(machine.find(near).unwrap().freed && !machine.find(other).unwrap().freed);
    assert!(!machine.reaches(0, 1) && machine.reaches(0, 0));
    let (free, all) = machine.memory_bytes(0).unwrap();
    assert_eq!(free, all);
    let again = machine.allocate(Owner::Device(0), "again", 64).unwrap();
    assert_eq!(run(&mut machine, 0, &module, 16, &[again.into(), managed.into()]).findings, []);
}
