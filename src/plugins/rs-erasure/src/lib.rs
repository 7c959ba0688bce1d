//! The plugin rs-erasure: the crate reed-solomon-erasure, as C functions. The code's matrix is a Vandermonde matrix over GF(2^8),
//! made systematic.

mod shard;

use foreign_code::{locked_version, Chunks, Code, Coding, Data, Failure, RUSTC};
use reed_solomon_erasure::galois_8::ReedSolomon;
use reed_solomon_erasure::Error;
use smallvec::SmallVec;
use std::ffi::{c_char, CString};
use std::sync::OnceLock;

use shard::{shards, SpareMemory};

/// A list with one element for each chunk. It exists only during one call. If there are at most 32 chunks, the list is on the
/// stack. The crate then uses the heap only to compute and keep the inverse matrix of an erasure pattern.
type PerChunk<T> = SmallVec<[T; 32]>;

struct ErasureCode(ReedSolomon);

impl Code for ErasureCode {
    fn new(_: &str, k: usize, m: usize, _: &str) -> Result<Self, Failure> {
        let refusal = |error| match error {
            Error::TooManyShards => "k+m is at most 256, the number of elements of GF(2^8)".into(),
            other => text(other),
        };
        Ok(Self(ReedSolomon::new(k, m).map_err(refusal)?))
    }

    fn encode(&self, data: Data, coding: Coding) -> Result<(), Failure> {
        let data: PerChunk<&[u8]> = data.chunks().collect();
        let mut coding: PerChunk<&mut [u8]> = coding.chunks_mut().collect();
        self.0.encode_sep(&data, &mut coding).map_err(text)
    }

    fn decode(&self, chunks: Chunks) -> Result<(), Failure> {
        let (k, n) = (self.0.data_shard_count(), self.0.total_shard_count());
        let wants_coding = (k..n).any(|i| chunks.is_rebuilt(i));
        let mut spare = SpareMemory::default();
        let mut shards = shards(chunks, k, n, wants_coding, &mut spare);
        if wants_coding { self.0.reconstruct(&mut shards) } else { self.0.reconstruct_data(&mut shards) }.map_err(text)
    }
}

foreign_code::export!(ErasureCode: rs_erasure_make, rs_erasure_drop, rs_erasure_encode, rs_erasure_decode, rs_erasure_nothing);

/// The versions of the crate and of rustc, for example "reed-solomon-erasure 6.0.0, rustc 1.95.0".
#[no_mangle]
extern "C" fn rs_erasure_versions() -> *const c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    let version = locked_version(include_str!("../Cargo.lock"), "reed-solomon-erasure");
    TEXT.get_or_init(|| CString::new(format!("reed-solomon-erasure {version}, {RUSTC}")).unwrap_or_default()).as_ptr()
}

fn text(error: Error) -> Failure {
    error.to_string()
}
