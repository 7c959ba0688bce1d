//! The caller's chunks, in the form that the crate's reconstruct() needs. Chunks are used in place, without a copy.

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
    /// Available. It is one of the k chunks that the crate reads.
    Read,
    /// Not available. If the crate computes chunks of this kind (data or coding), it also computes this chunk.
    Lost,
    /// Marked as available. The crate never reads the bytes of this chunk, because the k chunks that it reads come before this
    /// chunk.
    NotAsked,
}

/// Memory for lost chunks that are not wanted. The crate rebuilds all lost data chunks. If a lost coding chunk is wanted, it
/// rebuilds all lost coding chunks too.
#[derive(Default)]
pub struct SpareMemory(Vec<Vec<u8>>);

impl SpareMemory {
    fn chunk(&mut self, size: usize) -> *mut u8 {
        self.0.push(vec![0; size]);
        self.0.last_mut().map_or(std::ptr::null_mut(), |chunk| chunk.as_mut_ptr())
    }
}

/// The shards of all chunks. The crate reads only the first k available shards. Therefore coding shards after the last chunk that
/// is read can be marked as available. The crate then neither reads nor computes them.
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
    /// Empty if the crate does not read or write the bytes.
    fn slice(&mut self) -> &mut [u8] {
        if self.bytes.is_null() {
            return &mut [];
        }
        // SAFETY: the memory is a chunk of the caller or spare memory. Its `size` bytes belong to no other shard. The crate's
        // interface requires &mut for chunks that are read, but the crate does not write to them.
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
