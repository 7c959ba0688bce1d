//! The caller's chunks as slices. The contract of ErasureCode defines which chunks may be read, which chunks may be written, and
//! which chunks must not be used. All functions except Chunks::pointer() enforce these rules.

use std::slice::{from_raw_parts, from_raw_parts_mut};

/// The k data chunks of an encode.
#[derive(Clone, Copy)]
pub struct Data<'a> {
    pointers: &'a [*const u8],
    chunk_size: usize,
}

impl<'a> Data<'a> {
    /// # Safety
    /// `pointers` points to an array of `count` pointers. Each pointer in the array points to a chunk that may be read during `'a`.
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
    /// `pointers` points to an array of `count` pointers. Each pointer in the array points to a chunk that may be written during
    /// `'a`. The chunk does not overlap any other chunk.
    pub(crate) unsafe fn new(pointers: *const *mut u8, count: usize, chunk_size: usize) -> Self {
        Self { pointers: from_raw_parts(pointers, count), chunk_size }
    }

    /// Consumes `self`, so that the function can be called only once. A second call would return mutable slices of the same chunks.
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
    /// `pointers`, `is_read` and `is_rebuilt` point to arrays of `count` elements. During `'a`, chunk `i` may be read if
    /// `is_read[i]` is not 0, and may be written if `is_rebuilt[i]` is not 0. For each chunk, at least one of these two flags is 0.
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

    /// Returns chunk `i`, or None if the chunk may not be read.
    pub fn read(self, i: usize) -> Option<&'a [u8]> {
        self.is_read(i).then(|| unsafe { from_raw_parts(self.pointers[i], self.chunk_size) })
    }

    /// The pointer to chunk `i`. The caller may write to the chunk only if `is_rebuilt(i)` is true, and may read the chunk only if
    /// `is_read(i)` is true.
    pub fn pointer(self, i: usize) -> *mut u8 {
        self.pointers[i]
    }

    /// Copies `bytes` to chunk `i` if this chunk must be rebuilt. Otherwise, does nothing.
    pub fn rebuild(self, i: usize, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.chunk_size);
        if self.is_rebuilt(i) {
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.pointers[i], self.chunk_size) }
        }
    }
}
