//! Stores the version of the Rust compiler in the crate, because `ecbench --list` prints this version.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").expect("cargo sets RUSTC");
    let output = Command::new(rustc).arg("--version").output().expect("rustc runs");
    let version = String::from_utf8(output.stdout).expect("rustc --version prints text");
    // "rustc 1.95.0 (59807616e 2026-04-14)"
    let words: Vec<&str> = version.split_whitespace().take(2).collect();
    println!("cargo:rustc-env=FOREIGN_CODE_RUSTC={}", words.join(" "));
    println!("cargo:rerun-if-changed=build.rs");
}
