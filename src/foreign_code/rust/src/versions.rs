//! The versions of the library and of the compiler. The version of the library is read from Cargo.lock, because the build uses
//! exactly the versions in this file.

/// "rustc 1.95.0"
pub const RUSTC: &str = env!("FOREIGN_CODE_RUSTC");

/// The version of crate `name`, read from the text of a Cargo.lock. The result is empty if the text does not contain this crate.
pub fn locked_version<'a>(lock_file: &'a str, name: &str) -> &'a str {
    let package = format!("name = \"{name}\"\nversion = \"");
    lock_file.split_once(&package).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("")
}
