//! The plugin rs-simd: the crate reed-solomon-simd, as C functions. The crate is a Reed-Solomon code over GF(2^16) that computes by
//! FFT.

mod engine;
mod worker;
mod workers;

use foreign_code::{locked_version, Chunks, Code, Coding, Data, Failure, RUSTC};
use reed_solomon_simd::ReedSolomonEncoder;
use std::ffi::{c_char, CStr, CString};
use std::sync::{Arc, OnceLock};

use engine::Level;
use worker::Work;
use workers::{drop_worker, with_worker};

struct SimdCode {
    k: usize,
    m: usize,
    level: Level,
    /// Identifies this code. Each thread finds its worker for this code by this pointer.
    alive: Arc<()>,
}

impl SimdCode {
    fn work(&self, call: impl FnOnce(&mut dyn Work) -> Result<(), Failure>) -> Result<(), Failure> {
        with_worker(&self.alive, || worker::new(self.k, self.m, self.level), call)
    }
}

impl Drop for SimdCode {
    fn drop(&mut self) {
        drop_worker(&self.alive);
    }
}

impl Code for SimdCode {
    fn new(_: &str, k: usize, m: usize, level: &str) -> Result<Self, Failure> {
        if !ReedSolomonEncoder::supports(k, m) {
            return Err("the larger of k and m, plus the smaller one rounded up to a power of two, must be at most 65536".into());
        }
        let level = Level::of_name(level).ok_or_else(|| format!("reed-solomon-simd has no engine for {level}"))?;
        let code = Self { k, m, level, alive: Arc::new(()) };
        // The crate computes its tables (8 MiB) when the first engine is created. This call creates an engine before anything is
        // timed.
        code.work(|_| Ok(()))?;
        Ok(code)
    }

    fn encode(&self, data: Data, coding: Coding) -> Result<(), Failure> {
        self.work(|worker| worker.encode(data, coding))
    }

    fn decode(&self, chunks: Chunks) -> Result<(), Failure> {
        self.work(|worker| worker.decode(chunks))
    }
}

foreign_code::export!(SimdCode: rs_simd_make, rs_simd_drop, rs_simd_encode, rs_simd_decode, rs_simd_nothing);

/// The versions of the crate and of rustc, for example "reed-solomon-simd 3.1.0, rustc 1.95.0".
#[no_mangle]
extern "C" fn rs_simd_versions() -> *const c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    let version = locked_version(include_str!("../Cargo.lock"), "reed-solomon-simd");
    TEXT.get_or_init(|| CString::new(format!("reed-solomon-simd {version}, {RUSTC}")).unwrap_or_default()).as_ptr()
}

/// The name that the crate gives to its engine for `level`. Empty if the crate has no engine for this level.
///
/// # Safety
/// `level` ends in \0.
#[no_mangle]
unsafe extern "C" fn rs_simd_engine(level: *const c_char) -> *const c_char {
    let level = CStr::from_ptr(level).to_str().ok().and_then(Level::of_name);
    level.map_or(c"", Level::engine).as_ptr()
}
