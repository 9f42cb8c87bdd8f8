//! Variables of a module on several devices.

use super::{module, run, two};
use gpulearn::sim::{Module, Owner};

/// `k` adds one to each variable that is no constant.
fn counters() -> Module {
    module(
        ".visible .global .align 4 .u32 own = 5;\n\
         .visible .global .attribute(.managed) .align 4 .u32 shared = 7;\n\
         .visible .const .align 4 .u32 fixed = 9;\n\
         .visible .global .align 8 .u64 link[2] = {own, k};\n\
         .visible .entry k() { .reg .b32 %v;\n\
         ld.global.u32 %v, [own]; add.u32 %v, %v, 1; st.global.u32 [own], %v;\n\
         ld.global.u32 %v, [shared]; add.u32 %v, %v, 1; st.global.u32 [shared], %v; ret; }",
    )
}

#[test]
fn each_device_has_its_own_and_managed_ones_are_one() {
    let (mut machine, module) = (two(), counters());
    let variables = module.variables();
    let told: Vec<_> = variables.iter().map(|v| (&*v.name, v.bytes, v.constant, v.managed)).collect();
    let expected = [
        ("own", 4, false, false),
        ("shared", 4, false, true),
        ("fixed", 4, true, false),
        ("link", 16, false, false),
    ];
    assert_eq!(told, expected);
    let mut at = |device, index| machine.variable_address(device, &module, index).unwrap();
    let (own, shared) = ([at(0, 0).unwrap(), at(1, 0).unwrap()], [at(0, 1).unwrap(), at(1, 1).unwrap()]);
    assert_ne!(own[0], own[1]);
    assert_eq!(shared[0], shared[1]);
    assert_eq!(at(0, 4), None);
    for device in [0, 1, 1] {
        assert_eq!(run(&mut machine, device, &module, 1, &[]).findings, []);
    }
    let word = |address| {
        let mut bytes = [0; 4];
        machine.read(address, &mut bytes);
        u32::from_le_bytes(bytes)
    };
    assert_eq!([word(own[0]), word(own[1]), word(shared[0])], [6, 7, 10]);
    assert_eq!(machine.find(shared[0]).unwrap().owner, Owner::Managed);
    assert_eq!(machine.find(own[1]).unwrap().owner, Owner::Device(1));
}

#[test]
fn addresses_in_initial_values_are_the_devices_own() {
    let (mut machine, module) = (two(), counters());
    for device in 0..2 {
        let own = machine.variable_address(device, &module, 0).unwrap().unwrap();
        let link = machine.variable_address(device, &module, 3).unwrap().unwrap();
        let mut bytes = [0; 16];
        machine.read(link, &mut bytes);
        let (to, function) = bytes.split_at(8);
        assert_eq!(to, own.0.to_le_bytes());
        let function = u64::from_le_bytes(function.try_into().unwrap());
        assert_eq!(module.function_address("k"), Some(function));
        assert_eq!(module.kernel_at(function), Some(0));
    }
}
