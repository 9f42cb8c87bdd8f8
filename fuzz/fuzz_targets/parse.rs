//! Any text is read or refused, and what is read prints as text that reads the same.
//! Run with `mkdir -p fuzz/corpus/parse && cargo +nightly fuzz run parse fuzz/corpus/parse tests/ptx/pass`: new inputs are
//! kept in the first folder, and the second has samples to begin with.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(module) = gpulearn_ptx::parse(text) {
        let printed = module.to_string();
        let again = gpulearn_ptx::parse(&printed).expect("printed text is read");
        assert_eq!(again.to_string(), printed);
    }
});
