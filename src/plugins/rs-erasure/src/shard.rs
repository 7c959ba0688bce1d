//! Passes the caller's chunks to the crate's functions reconstruct() and reconstruct_data(), without a copy. The crate calls chunks
//! shards.

use foreign_code::Chunks;
use reed_solomon_erasure::galois_8::Field;
use reed_solomon_erasure::{Error, ReconstructShard};

use crate::PerChunk;

pub struct Shard {
    bytes: *mut u8,
    size: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// The chunk is available, and is one of the k chunks that the crate reads.
    Read,
    /// The chunk is marked as lost. reconstruct() computes all chunks that are marked as lost. reconstruct_data() computes only
    /// the data chunks among them.
    Lost,
    /// The chunk is marked as available, but the crate does not read it. The crate reads only the first k available chunks, and
    /// this chunk comes after them.
    NotAsked,
}

/// Memory for chunks that the crate rebuilds but the caller does not need. The crate always rebuilds all data chunks that are
/// marked as lost. If the caller needs a coding chunk, the crate also rebuilds all coding chunks that are marked as lost.
#[derive(Default)]
pub struct SpareMemory(Vec<Vec<u8>>);

impl SpareMemory {
    fn chunk(&mut self, size: usize) -> *mut u8 {
        self.0.push(vec![0; size]);
        self.0.last_mut().map_or(std::ptr::null_mut(), |chunk| chunk.as_mut_ptr())
    }
}

/// Returns a shard for each chunk. If the caller does not need a coding chunk, and this chunk comes after the last chunk that is
/// read, its shard is marked as available. The crate then neither reads nor computes the chunk, because the crate reads only the
/// first k available shards.
pub fn shards(chunks: Chunks, k: usize, n: usize, wants_coding: bool, spare: &mut SpareMemory) -> PerChunk<Shard> {
    let size = chunks.chunk_size();
    let last_read = (0..n).rev().find(|&i| chunks.is_read(i)).unwrap_or(0);
    let shard = |i| {
        let (bytes, state) = if chunks.is_read(i) {
            (chunks.pointer(i), State::Read)
        } else if chunks.is_rebuilt(i) {
            (chunks.pointer(i), State::Lost)
        } else if i > last_read && i >= k {
            (std::ptr::null_mut(), State::NotAsked)
        } else if i < k || wants_coding {
            (spare.chunk(size), State::Lost)
        } else {
            (std::ptr::null_mut(), State::Lost)
        };
        Shard { bytes, size, state }
    };
    (0..n).map(shard).collect()
}

impl Shard {
    /// The bytes of the chunk. The slice is empty if the crate neither reads nor writes the chunk.
    fn slice(&mut self) -> &mut [u8] {
        if self.bytes.is_null() {
            return &mut [];
        }
        // SAFETY: `bytes` points to a chunk of the caller, or to spare memory. The `size` bytes belong to no other shard. The
        // crate's interface requires &mut also for chunks that the crate only reads. The crate does not write to these chunks.
        unsafe { std::slice::from_raw_parts_mut(self.bytes, self.size) }
    }
}

impl ReconstructShard<Field> for Shard {
    fn len(&self) -> Option<usize> {
        (self.state != State::Lost).then_some(self.size)
    }

    fn get(&mut self) -> Option<&mut [u8]> {
        (self.state != State::Lost).then(|| self.slice())
    }

    fn get_or_initialize(&mut self, _: usize) -> Result<&mut [u8], Result<&mut [u8], Error>> {
        match self.state {
            State::Lost => Err(Ok(self.slice())),
            State::Read | State::NotAsked => Ok(self.slice()),
        }
    }
}
