//! The versions of the library and of the compiler. The library's version is read from the lock file, which the build must follow.

/// "rustc 1.95.0"
pub const RUSTC: &str = env!("FOREIGN_CODE_RUSTC");

/// The version of crate `name` in the text of a Cargo.lock; empty if it is missing.
pub fn locked_version<'a>(lock_file: &'a str, name: &str) -> &'a str {
    let package = format!("name = \"{name}\"\nversion = \"");
    lock_file.split_once(&package).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("")
}
