//! The plugin rusty_erasure: the crate rusty_erasure, as C functions. The crate is a Reed-Solomon code over GF(2^8) with ISA-L's
//! matrices.

mod plans;

use foreign_code::{locked_version, Chunks, Code, Coding, Data, Failure, Update, RUSTC};
use rusty_erasure::kernel::Kernels;
use rusty_erasure::{best_kernels, kernels_named, raid, Coder, Matrix};
use smallvec::SmallVec;
use std::ffi::{c_char, CStr, CString};
use std::sync::OnceLock;

use plans::Plans;

/// A list with one element for each chunk. It exists only during one call. If there are at most 32 chunks, the list is on the
/// stack.
type PerChunk<T> = SmallVec<[T; 32]>;

struct ErasureCode {
    coder: Coder,
    plans: Plans,
    /// True if the dispatch level allows the crate's XOR function. On every CPU with AVX2, this function uses AVX2. Therefore it is
    /// not allowed with the levels scalar and ssse3.
    has_fast_xor: bool,
}

/// The crate's kernels for one of ecbench's dispatch levels. Returns None if the crate has no kernels for this level.
fn kernels(level: &str) -> Option<Kernels> {
    match level {
        "native" => Some(best_kernels()),
        "avx2-gfni" => kernels_named("gfni"),
        "scalar" | "ssse3" | "avx2" | "neon" => kernels_named(level),
        _ => None,
    }
}

impl Code for ErasureCode {
    fn new(technique: &str, k: usize, m: usize, level: &str) -> Result<Self, Failure> {
        let matrix = if technique == "cauchy" { Matrix::cauchy(k, m) } else { Matrix::reed_solomon(k, m) };
        // The crate's error message recommends the Rust function Matrix::cauchy. A user of ecbench must give the parameter
        // technique=cauchy instead.
        let matrix = matrix.map_err(|error| text(error).replace("Matrix::cauchy", "technique=cauchy"))?;
        let kernels = kernels(level).ok_or_else(|| format!("rusty_erasure has no kernels for {level}"))?;
        let coder = Coder::with_kernels(matrix, kernels).map_err(text)?;
        Ok(Self { coder, plans: Plans::default(), has_fast_xor: !matches!(level, "scalar" | "ssse3") })
    }

    fn encode(&self, data: Data, coding: Coding) -> Result<(), Failure> {
        let data: PerChunk<&[u8]> = data.chunks().collect();
        let mut coding: PerChunk<&mut [u8]> = coding.chunks_mut().collect();
        self.coder.encode(&data, &mut coding).map_err(text)
    }

    fn decode(&self, chunks: Chunks) -> Result<(), Failure> {
        let n = self.coder.k() + self.coder.p();
        let plan = self.plans.of(&self.coder, chunks, n)?;
        let shards: PerChunk<Option<&[u8]>> = (0..n).map(|i| chunks.read(i)).collect();
        let size = chunks.chunk_size();
        let mut rebuilt: PerChunk<&mut [u8]> = (0..n)
            .filter(|&i| chunks.is_rebuilt(i))
            .map(|i| unsafe { std::slice::from_raw_parts_mut(chunks.pointer(i), size) })
            .collect();
        self.coder.recover_with(&plan, &shards, &mut rebuilt).map_err(text)
    }
}

impl Update for ErasureCode {
    fn update(&self, chunk: usize, old: &[u8], new: &[u8], coding: Coding, scratch: &mut [u8]) -> Result<(), Failure> {
        if self.has_fast_xor {
            raid::xor_gen(&[old, new], scratch).map_err(text)?;
        } else {
            scratch.iter_mut().zip(old.iter().zip(new)).for_each(|(delta, (old, new))| *delta = old ^ new);
        }
        let mut coding: PerChunk<&mut [u8]> = coding.chunks_mut().collect();
        self.coder.update(chunk, scratch, &mut coding).map_err(text)
    }
}

foreign_code::export!(ErasureCode: rusty_erasure_make, rusty_erasure_drop, rusty_erasure_encode, rusty_erasure_decode,
    rusty_erasure_nothing);
foreign_code::export_update!(ErasureCode: rusty_erasure_update);

/// The versions of the crate and of rustc, for example "rusty_erasure 0.4.3, rustc 1.95.0".
#[no_mangle]
extern "C" fn rusty_erasure_versions() -> *const c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    let version = locked_version(include_str!("../Cargo.lock"), "rusty_erasure");
    TEXT.get_or_init(|| CString::new(format!("rusty_erasure {version}, {RUSTC}")).unwrap_or_default()).as_ptr()
}

/// Writes a name that ends in \0 to the buffer `name`. This is the name that the crate gives to its kernels for `level`. If the
/// crate has no kernels for this level, the name is empty.
///
/// # Safety
/// `level` ends in \0. The buffer `name` has `size` bytes, and `size` is at least 1.
#[no_mangle]
unsafe extern "C" fn rusty_erasure_kernel(level: *const c_char, name: *mut c_char, size: usize) {
    let found = CStr::from_ptr(level).to_str().ok().and_then(kernels).map_or("", |kernels| kernels.name);
    let count = found.len().min(size - 1);
    std::ptr::copy_nonoverlapping(found.as_ptr(), name.cast(), count);
    *name.add(count) = 0;
}

fn text(error: impl std::fmt::Display) -> Failure {
    error.to_string()
}
