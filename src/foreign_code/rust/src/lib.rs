//! Implements the functions of ForeignLibrary (src/foreign_code/foreign_code.h) for an erasure code in Rust. A plugin implements
//! the trait `Code`, and the macro `export!` defines the C functions of the plugin. If the erasure code panics in a call, the C
//! function catches the panic. The functions for make, encode, decode and update then report a failure.

mod chunks;
mod versions;

use std::any::Any;
use std::ffi::{c_char, c_int, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Once;

pub use chunks::{Chunks, Coding, Data};
pub use versions::{locked_version, RUSTC};

/// The reason for a failure, in one line.
pub type Failure = String;

/// An erasure code. Calls may come from several threads at a time.
pub trait Code: Sized + Sync {
    /// `level` is a dispatch level of ecbench. It may be `native`.
    fn new(technique: &str, k: usize, m: usize, level: &str) -> Result<Self, Failure>;
    /// Computes all coding chunks from all data chunks.
    fn encode(&self, data: Data, coding: Coding) -> Result<(), Failure>;
    /// Rebuilds the chunks with `is_rebuilt` from the chunks with `is_read`.
    fn decode(&self, chunks: Chunks) -> Result<(), Failure>;
}

/// A code that can update its coding chunks after an overwrite. The macro `export_update!` defines the C function.
pub trait Update: Code {
    /// Updates all coding chunks after bytes of data chunk `chunk` have changed from `old` to `new`. `scratch` is as long as `old`,
    /// and may contain any bytes.
    fn update(&self, chunk: usize, old: &[u8], new: &[u8], coding: Coding, scratch: &mut [u8]) -> Result<(), Failure>;
}

/// A code with its k and m. A handle is a pointer to a `Made`.
struct Made<C> {
    k: usize,
    m: usize,
    code: C,
}

const FAILED: c_int = 1;
const PANICKED: c_int = 2;

/// # Safety
/// The same rules as for ForeignLibrary::make apply: `technique` and `level` end in \0, and `message` has `message_size` bytes.
pub unsafe fn make<C: Code>(
    technique: *const c_char,
    k: c_int,
    m: c_int,
    level: *const c_char,
    message: *mut c_char,
    message_size: usize,
) -> u64 {
    silence_panics();
    let (technique, level) = (CStr::from_ptr(technique).to_string_lossy(), CStr::from_ptr(level).to_string_lossy());
    let made = catch_unwind(|| {
        let (k, m) = (usize::try_from(k).unwrap_or(0), usize::try_from(m).unwrap_or(0));
        C::new(&technique, k, m, &level).map(|code| Box::new(Made { k, m, code }))
    });
    match made.unwrap_or_else(|panic| Err(panic_text(&*panic))) {
        Ok(made) => Box::into_raw(made) as u64,
        Err(why) => {
            write_line(&why, std::slice::from_raw_parts_mut(message.cast(), message_size));
            0
        }
    }
}

/// # Safety
/// `handle` was returned by `make` for the same type `C`. No other call may use this handle at the same time or afterwards.
pub unsafe fn drop_code<C: Code>(handle: u64) {
    let made = Box::from_raw(handle as *mut Made<C>);
    // If the destructor panics, the only effect is that the memory of this code leaks.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(made)));
}

/// # Safety
/// `handle` was returned by `make` for the same type `C`. `data` is an array of k pointers, and `coding` is an array of m pointers.
/// Each pointer in these arrays points to a chunk of `chunk_size` bytes.
pub unsafe fn encode<C: Code>(handle: u64, data: *const *const u8, coding: *const *mut u8, chunk_size: usize) -> c_int {
    let made = &*(handle as *const Made<C>);
    status(|| made.code.encode(Data::new(data, made.k, chunk_size), Coding::new(coding, made.m, chunk_size)))
}

/// # Safety
/// `handle` was returned by `make` for the same type `C`. `chunks` is an array of n pointers to chunks of `chunk_size` bytes.
/// `is_read` and `is_rebuilt` are arrays of n flags.
pub unsafe fn decode<C: Code>(
    handle: u64,
    chunks: *const *mut u8,
    is_read: *const u8,
    is_rebuilt: *const u8,
    chunk_size: usize,
) -> c_int {
    let made = &*(handle as *const Made<C>);
    status(|| made.code.decode(Chunks::new(chunks, is_read, is_rebuilt, made.k + made.m, chunk_size)))
}

/// # Safety
/// `handle` was returned by `make` for the same type `C`. `coding` is an array of m pointers. Each of these pointers, and also
/// `old_bytes`, `new_bytes` and `scratch`, points to `size` bytes.
pub unsafe fn update<C: Update>(
    handle: u64,
    chunk: c_int,
    old_bytes: *const u8,
    new_bytes: *const u8,
    coding: *const *mut u8,
    size: usize,
    scratch: *mut u8,
) -> c_int {
    let made = &*(handle as *const Made<C>);
    let chunk = usize::try_from(chunk).unwrap_or(usize::MAX);
    let (old, new) = (std::slice::from_raw_parts(old_bytes, size), std::slice::from_raw_parts(new_bytes, size));
    let scratch = std::slice::from_raw_parts_mut(scratch, size);
    status(|| made.code.update(chunk, old, new, Coding::new(coding, made.m, size), scratch))
}

/// Defines the C function `$update`, which implements ForeignLibrary::update for `$code`.
#[macro_export]
macro_rules! export_update {
    ($code:ty: $update:ident) => {
        #[no_mangle]
        unsafe extern "C" fn $update(
            handle: u64,
            chunk: ::std::ffi::c_int,
            old_bytes: *const u8,
            new_bytes: *const u8,
            coding: *const *mut u8,
            size: usize,
            scratch: *mut u8,
        ) -> ::std::ffi::c_int {
            $crate::update::<$code>(handle, chunk, old_bytes, new_bytes, coding, size, scratch)
        }
    };
}

/// Defines the C functions that implement ForeignLibrary for `$code`, except ForeignLibrary::update. The other arguments of the
/// macro are the names of these functions.
#[macro_export]
macro_rules! export {
    ($code:ty: $make:ident, $drop:ident, $encode:ident, $decode:ident, $nothing:ident) => {
        #[no_mangle]
        unsafe extern "C" fn $make(
            technique: *const ::std::ffi::c_char,
            k: ::std::ffi::c_int,
            m: ::std::ffi::c_int,
            level: *const ::std::ffi::c_char,
            message: *mut ::std::ffi::c_char,
            message_size: usize,
        ) -> u64 {
            $crate::make::<$code>(technique, k, m, level, message, message_size)
        }

        #[no_mangle]
        unsafe extern "C" fn $drop(handle: u64) {
            $crate::drop_code::<$code>(handle)
        }

        #[no_mangle]
        unsafe extern "C" fn $encode(
            handle: u64,
            data: *const *const u8,
            coding: *const *mut u8,
            chunk_size: usize,
        ) -> ::std::ffi::c_int {
            $crate::encode::<$code>(handle, data, coding, chunk_size)
        }

        #[no_mangle]
        unsafe extern "C" fn $decode(
            handle: u64,
            chunks: *const *mut u8,
            is_read: *const u8,
            is_rebuilt: *const u8,
            chunk_size: usize,
        ) -> ::std::ffi::c_int {
            $crate::decode::<$code>(handle, chunks, is_read, is_rebuilt, chunk_size)
        }

        #[no_mangle]
        extern "C" fn $nothing() {}
    };
}

fn status(call: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => 0,
        Ok(Err(_)) => FAILED,
        Err(_) => PANICKED,
    }
}

/// Suppresses the message that Rust prints for a panic. The caller prints its own message about the failure.
fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}

fn panic_text(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    format!("the library panicked: {}", text.unwrap_or("it gave no reason"))
}

/// Copies the first line of `text` to `out`, followed by \0. If the line is too long for `out`, copies only the beginning of the
/// line.
fn write_line(text: &str, out: &mut [u8]) {
    let Some(room) = out.len().checked_sub(1) else { return };
    let line = text.lines().next().unwrap_or("");
    let mut size = line.len().min(room);
    while !line.is_char_boundary(size) {
        size -= 1;
    }
    out[..size].copy_from_slice(&line.as_bytes()[..size]);
    out[size] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Panics;

    impl Code for Panics {
        fn new(technique: &str, _: usize, _: usize, _: &str) -> Result<Self, Failure> {
            assert!(technique != "at once", "asked to\nin two lines");
            Ok(Self)
        }
        fn encode(&self, _: Data, _: Coding) -> Result<(), Failure> {
            panic!("encode")
        }
        fn decode(&self, _: Chunks) -> Result<(), Failure> {
            Err("no".into())
        }
    }

    fn make_panics(technique: &CStr, message: &mut [u8]) -> u64 {
        unsafe { make::<Panics>(technique.as_ptr(), 1, 1, c"native".as_ptr(), message.as_mut_ptr().cast(), message.len()) }
    }

    #[test]
    fn no_panic_leaves() {
        let handle = make_panics(c"later", &mut []);
        let pointers = [std::ptr::null_mut::<u8>(); 2];
        let flags = [0u8; 2];
        unsafe {
            assert_eq!(encode::<Panics>(handle, pointers.as_ptr().cast(), pointers.as_ptr(), 0), PANICKED);
            assert_eq!(decode::<Panics>(handle, pointers.as_ptr(), flags.as_ptr(), flags.as_ptr(), 0), FAILED);
            drop_code::<Panics>(handle);
        }
    }

    #[test]
    fn a_panic_of_make_is_a_refusal_in_one_line() {
        let mut message = [b'x'; 64];
        assert_eq!(make_panics(c"at once", &mut message), 0);
        assert_eq!(CStr::from_bytes_until_nul(&message), Ok(c"the library panicked: asked to"));
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let mut out = [b'x'; 4];
        write_line("aaäb", &mut out);
        assert_eq!(&out, b"aa\0x");
    }
}
