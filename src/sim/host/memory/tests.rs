//! Tests of blocks, their guards, and the faults of accesses outside them.

use super::*;

fn memory() -> HostMemory {
    let variable = |name: &str, bytes, init: &[u8]| GlobalVariable {
        name: name.into(),
        symbol: name.into(),
        bytes,
        align: 4,
        constant: false,
        managed: false,
        init: init.to_vec(),
        addresses: Vec::new(),
    };
    let variables = [variable("a", 12, &[1, 2, 3]), variable("b", 8, &[])];
    HostMemory::new(&variables, &[], 64 << 20, 1 << 20).expect("little memory")
}

#[test]
fn blocks_hold_what_is_written_and_are_poison_before() {
    let mut memory = memory();
    for bytes in [0u64, 1, 7, 8, 40, 100, 5000, 32 << 10, 100_000, 3 << 20] {
        let address = memory.allocate(bytes, 16).expect("memory");
        assert_eq!(address % 16, 0);
        assert_eq!(memory.size_of(address), Some(bytes));
        let fresh = memory.slice(address, bytes).unwrap();
        assert!((address..).zip(fresh).all(|(at, &b)| b == mark_at(at)));
        let data: Vec<u8> = (0..bytes).map(|i| i as u8).collect();
        memory.write(address, &data).unwrap();
        assert_eq!(memory.slice(address, bytes).unwrap(), data);
        for outside in [address + bytes, address - 1] {
            let fault = memory.slice(outside, 1).unwrap_err();
            let FaultKind::OutOfBounds { nearest: Some(block), .. } = fault.kind else {
                panic!("{fault:?} for {bytes} bytes")
            };
            assert_eq!((block.start, block.bytes, block.kind), (address, bytes, HostBlockKind::Heap));
        }
        let fault = memory.slice(address, bytes + 1).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }), "{fault:?}");
    }
}

#[test]
fn a_freed_block_is_known_as_such() {
    let mut memory = memory();
    for bytes in [4u64, 200_000] {
        let address = memory.allocate(bytes, 16).unwrap();
        memory.free(address).unwrap();
        for fault in [memory.slice(address, 4).unwrap_err(), memory.free(address).unwrap_err()] {
            assert!(matches!(fault.kind, FaultKind::Freed { .. }), "{fault:?}");
        }
        let live = memory.allocate(bytes, 16).unwrap();
        assert_ne!(live, address, "the addresses of a freed block are not used again at once");
        let inside = memory.free(live + 1).unwrap_err();
        assert!(matches!(inside.kind, FaultKind::NotABlock(Some(_))), "{inside:?}");
    }
    assert_eq!(memory.allocations().len(), 2);
    memory.free(0).unwrap();
}

#[test]
fn freed_addresses_come_back_in_time() {
    let mut memory = memory();
    let mut seen = std::collections::HashSet::new();
    let mut again = false;
    for _ in 0..400_000 {
        let address = memory.allocate(64, 1).unwrap();
        again |= !seen.insert(address);
        memory.free(address).unwrap();
    }
    assert!(again, "memory that is freed must be used again");
    assert_eq!(memory.heap_bytes(), 0);
}

#[test]
fn the_limit_holds() {
    let mut memory = memory();
    assert!(matches!(memory.allocate(65 << 20, 1).unwrap_err().kind, FaultKind::Limit(_)));
    let half = memory.allocate(40 << 20, 1).unwrap();
    assert!(memory.allocate(40 << 20, 1).is_err());
    memory.free(half).unwrap();
    assert!(memory.allocate(40 << 20, 1).is_ok());
    assert!(memory.allocate(u64::MAX, 1).is_err());
}

#[test]
fn blocks_keep_their_contents_when_they_grow() {
    let mut memory = memory();
    let mut address = memory.reallocate(0, 3).unwrap();
    memory.write(address, &[1, 2, 3]).unwrap();
    for bytes in [10u64, 40_000, 200_000, 2] {
        address = memory.reallocate(address, bytes).unwrap();
        assert_eq!(memory.slice(address, 2).unwrap(), [1, 2]);
    }
    assert_eq!(memory.allocations().len(), 1);
}

#[test]
fn variables_have_guards_and_first_values() {
    let mut memory = memory();
    let a = memory.address_of_variable(0).unwrap();
    assert_eq!(memory.slice(a, 12).unwrap(), [1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(memory.variable(a + 11), Some((0, 11)));
    let fault = memory.slice(a + 12, 1).unwrap_err();
    let FaultKind::OutOfBounds { nearest: Some(block), .. } = fault.kind else { panic!("{fault:?}") };
    assert_eq!((block.start, block.kind), (a, HostBlockKind::Variable(0)));
    memory.guard_variable(0);
    assert_eq!(memory.slice(a, 4).unwrap_err().kind, FaultKind::DeviceVariable(0));
    assert!(memory.slice(memory.address_of_variable(1).unwrap(), 8).is_ok());
}

#[test]
fn a_frame_ends_with_its_function() {
    let mut memory = memory();
    assert!(memory.enter(20));
    let frame = memory.stack_pointer();
    memory.write(frame, &[7; 20]).unwrap();
    assert!(memory.slice(frame, 21).is_err());
    assert_eq!(memory.block(frame).unwrap().kind, HostBlockKind::Stack);
    let below = |bytes| memory.slice(frame - bytes, 4).unwrap_err().kind;
    let FaultKind::OutOfBounds { nearest: Some(block), .. } = below(4) else { panic!("{:?}", below(4)) };
    assert_eq!((block.start, below(64)), (frame, FaultKind::DeadStack));
    let above = memory.slice(frame + 4000, 4).unwrap_err().kind;
    assert!(matches!(above, FaultKind::OutOfBounds { nearest: Some(_), .. }), "{above:?}");
    memory.leave(20);
    assert_eq!(memory.slice(frame, 4).unwrap_err().kind, FaultKind::DeadStack);
    assert!(!memory.enter(2 << 20));
    let depth = (0..).take_while(|_| memory.enter(1000)).count();
    assert!((900..1100).contains(&depth), "{depth} frames");
}

#[test]
fn other_addresses_are_told_apart() {
    let memory = memory();
    assert_eq!(memory.slice(8, 4).unwrap_err().kind, FaultKind::Null);
    assert_eq!(memory.slice(0x7f00_0000_0000, 4).unwrap_err().kind, FaultKind::Elsewhere);
    assert_eq!(memory.slice(u64::MAX - 2, 8).unwrap_err().kind, FaultKind::Elsewhere);
    assert!(memory.c_string(HOST_HEAP_WINDOW, 10).is_err());
    assert!(memory.slice(HOST_HEAP_WINDOW, u64::MAX).is_err());
}

#[test]
fn a_block_is_released_as_it_was_allocated() {
    use HostRelease::{Delete, DeleteArray, Free, Realloc};
    let mut memory = memory();
    let mut block = |bytes, by, words: &[u64]| {
        let address = memory.allocate(bytes, 16).unwrap();
        memory.set_allocator(address, by);
        let contents: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.write(address, &contents).unwrap();
        address
    };
    let c = block(40, HostAllocator::C, &[]);
    let one = block(40, HostAllocator::New, &[]);
    let plain = block(40, HostAllocator::NewArray, &[]);
    let objects = block(8 + 3 * 12, HostAllocator::NewArray, &[3]);
    let wide = block(16 + 2 * 32, HostAllocator::NewArray, &[0, 2]);
    let none = block(8, HostAllocator::NewArray, &[0]);
    let fits = |address, used| memory.mismatched(address, used).is_none();
    for (address, by) in
        [(c, Free), (c, Realloc), (one, Delete), (plain, DeleteArray), (objects, DeleteArray)]
    {
        assert!(fits(address, by), "{by:?}");
    }
    for (address, by) in [(c, Delete), (one, Free), (one, DeleteArray), (plain, Delete), (plain, Free)] {
        assert!(!fits(address, by), "{by:?}");
    }
    // `delete[]` of objects with destructors, and `delete` of the first of them.
    for (address, first) in [(objects, objects + 8), (wide, wide + 16), (none, none + 8)] {
        assert!(fits(address, Free));
        let found = memory.mismatched(first, Delete).map(|(start, ..)| start);
        assert_eq!(found, Some(address));
    }
    assert!(fits(0, Free) && fits(c + 8, Delete) && fits(plain + 8, Delete));
}

#[test]
fn a_container_closes_the_part_of_a_block_without_elements() {
    let mut memory = memory();
    for (size, used) in [(40u64, 12u64), (40, 0), (64 << 10, 30_001), (24, 24), (13, 9)] {
        let block = memory.allocate(size, 16).unwrap();
        memory.write(block, &vec![7; size as usize]).unwrap();
        memory.set_accessible_behind(block, used, false);
        assert_eq!(memory.reach(block, size), used);
        if used < size {
            let fault = memory.slice(block + used, 1).unwrap_err();
            assert!(matches!(fault.kind, FaultKind::Reserved { .. }), "{fault:?}");
        }
        let outside = memory.slice(block + size, 1).unwrap_err();
        assert!(matches!(outside.kind, FaultKind::OutOfBounds { .. }), "{outside:?}");
        memory.set_accessible_behind(block, used, true);
        assert!(memory.slice(block, size).unwrap().iter().all(|byte| *byte == 7));
        memory.set_accessible_behind(block, used, false);
        memory.open_reserved(block, size);
        assert_eq!(memory.reach(block, size + 1), size);
        memory.set_accessible_behind(block, used, false);
        memory.free(block).unwrap();
    }
}
