//! The caller's chunks as slices. Except Chunks::pointer(), the functions allow only what the contract allows: some chunks may be
//! read, some may be written, and the others must not be used.

use std::slice::{from_raw_parts, from_raw_parts_mut};

/// The k data chunks of an encode.
#[derive(Clone, Copy)]
pub struct Data<'a> {
    pointers: &'a [*const u8],
    chunk_size: usize,
}

impl<'a> Data<'a> {
    /// # Safety
    /// `pointers` are `count` pointers to chunks that may be read for `'a`.
    pub(crate) unsafe fn new(pointers: *const *const u8, count: usize, chunk_size: usize) -> Self {
        Self { pointers: from_raw_parts(pointers, count), chunk_size }
    }

    pub fn chunk_size(self) -> usize {
        self.chunk_size
    }

    pub fn chunks(self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        self.pointers.iter().map(move |&chunk| unsafe { from_raw_parts(chunk, self.chunk_size) })
    }
}

/// The m coding chunks of an encode.
pub struct Coding<'a> {
    pointers: &'a [*mut u8],
    chunk_size: usize,
}

impl<'a> Coding<'a> {
    /// # Safety
    /// `pointers` are `count` pointers to chunks that overlap no others and may be written for `'a`.
    pub(crate) unsafe fn new(pointers: *const *mut u8, count: usize, chunk_size: usize) -> Self {
        Self { pointers: from_raw_parts(pointers, count), chunk_size }
    }

    /// Takes `self`, so that each chunk is returned only once.
    pub fn chunks_mut(self) -> impl ExactSizeIterator<Item = &'a mut [u8]> {
        self.pointers.iter().map(move |&chunk| unsafe { from_raw_parts_mut(chunk, self.chunk_size) })
    }
}

/// The n chunks of a decode.
#[derive(Clone, Copy)]
pub struct Chunks<'a> {
    pointers: &'a [*mut u8],
    is_read: &'a [u8],
    is_rebuilt: &'a [u8],
    chunk_size: usize,
}

impl<'a> Chunks<'a> {
    /// # Safety
    /// There are `count` pointers and `count` flags of each kind. Chunks with `is_read` may be read for `'a`. Chunks with
    /// `is_rebuilt` may be written for `'a`. No chunk has both flags.
    pub(crate) unsafe fn new(
        pointers: *const *mut u8,
        is_read: *const u8,
        is_rebuilt: *const u8,
        count: usize,
        chunk_size: usize,
    ) -> Self {
        Self {
            pointers: from_raw_parts(pointers, count),
            is_read: from_raw_parts(is_read, count),
            is_rebuilt: from_raw_parts(is_rebuilt, count),
            chunk_size,
        }
    }

    pub fn chunk_size(self) -> usize {
        self.chunk_size
    }

    pub fn is_read(self, i: usize) -> bool {
        self.is_read[i] != 0
    }

    pub fn is_rebuilt(self, i: usize) -> bool {
        self.is_rebuilt[i] != 0
    }

    /// Chunk `i`, if it may be read.
    pub fn read(self, i: usize) -> Option<&'a [u8]> {
        self.is_read(i).then(|| unsafe { from_raw_parts(self.pointers[i], self.chunk_size) })
    }

    /// The pointer to chunk `i`. The caller may write to the chunk only if `is_rebuilt(i)`, and may read it only if `is_read(i)`.
    pub fn pointer(self, i: usize) -> *mut u8 {
        self.pointers[i]
    }

    /// Writes chunk `i` if it must be rebuilt.
    pub fn rebuild(self, i: usize, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.chunk_size);
        if self.is_rebuilt(i) {
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.pointers[i], self.chunk_size) }
        }
    }
}
