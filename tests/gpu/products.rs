//! Products by warpgroups: the simulator's bits are those that an H100 gave (H100.md).

use std::path::PathBuf;
use std::process::Command;

pub fn products_of_warpgroups_are_the_hardwares() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/gpu");
    let home = tempfile::tempdir().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_gpulearn"))
        .args(["run", "--backend", "sim", "--as", "h100"])
        .arg(folder.join("warpgroup_products.cu"))
        .current_dir(home.path())
        .output()
        .unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    let recorded = std::fs::read_to_string(folder.join("warpgroup_products.out")).unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(printed, recorded);
}
