//! What was built: a library's version, as the lock file has it that the build must keep to, and the compiler's.

/// "rustc 1.95.0"
pub const RUSTC: &str = env!("FOREIGN_CODE_RUSTC");

/// The version of crate `name` in the text of a Cargo.lock; empty if it is missing.
pub fn locked_version<'a>(lock_file: &'a str, name: &str) -> &'a str {
    let package = format!("name = \"{name}\"\nversion = \"");
    lock_file.split_once(&package).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("")
}
