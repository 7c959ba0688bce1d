//! A worker: the crate's encoder and decoder for one code, with their working memory. Only one thread at a time uses a worker. The
//! crate copies its input chunks into the working memory. The plugin copies the results from the working memory to the caller's
//! chunks. If a data chunk is lost and a coding chunk is rebuilt, the available data chunks are copied twice: first to the decoder,
//! then to the encoder.

use foreign_code::{Chunks, Coding, Data, Failure};
use reed_solomon_simd::engine::{Avx2, DefaultEngine, Engine, NoSimd, Ssse3};
use reed_solomon_simd::rate::{DefaultRateDecoder, DefaultRateEncoder, RateDecoder, RateEncoder};
use reed_solomon_simd::{DecoderResult, Error};

use crate::engine::Level;

pub trait Work {
    fn encode(&mut self, data: Data, coding: Coding) -> Result<(), Failure>;
    fn decode(&mut self, chunks: Chunks) -> Result<(), Failure>;
}

/// Creates a worker. Before this call, ecbench must have checked that the CPU supports `level`.
pub fn new(k: usize, m: usize, level: Level) -> Box<dyn Work> {
    match level {
        Level::Native => Worker::boxed(k, m, DefaultEngine::new),
        Level::Scalar => Worker::boxed(k, m, NoSimd::new),
        Level::Ssse3 => Worker::boxed(k, m, Ssse3::new),
        Level::Avx2 => Worker::boxed(k, m, Avx2::new),
    }
}

struct Worker<E: Engine> {
    shape: Shape<E>,
    encoder: Kept<DefaultRateEncoder<E>>,
    decoder: Kept<DefaultRateDecoder<E>>,
}

struct Shape<E> {
    k: usize,
    m: usize,
    make_engine: fn() -> E,
}

/// An encoder or a decoder, and the chunk size for which its working memory is prepared. `coder` is None before the first use.
struct Kept<T> {
    coder: Option<T>,
    chunk_size: usize,
}

impl<T> Kept<T> {
    fn none() -> Self {
        Self { coder: None, chunk_size: 0 }
    }

    fn ready(
        &mut self,
        chunk_size: usize,
        make: impl FnOnce() -> Result<T, Error>,
        reset: impl FnOnce(&mut T) -> Result<(), Error>,
    ) -> Result<&mut T, Failure> {
        match &mut self.coder {
            Some(_) if self.chunk_size == chunk_size => {}
            Some(coder) => reset(coder).map_err(text)?,
            none => *none = Some(make().map_err(text)?),
        }
        self.chunk_size = chunk_size;
        self.coder.as_mut().ok_or_else(|| "nothing was made".into())
    }
}

impl<E: Engine> Shape<E> {
    fn encoder<'a>(
        &self,
        kept: &'a mut Kept<DefaultRateEncoder<E>>,
        chunk_size: usize,
    ) -> Result<&'a mut DefaultRateEncoder<E>, Failure> {
        let make = || DefaultRateEncoder::new(self.k, self.m, chunk_size, (self.make_engine)(), None);
        kept.ready(chunk_size, make, |encoder| encoder.reset(self.k, self.m, chunk_size))
    }

    fn decoder<'a>(
        &self,
        kept: &'a mut Kept<DefaultRateDecoder<E>>,
        chunk_size: usize,
    ) -> Result<&'a mut DefaultRateDecoder<E>, Failure> {
        let make = || DefaultRateDecoder::new(self.k, self.m, chunk_size, (self.make_engine)(), None);
        kept.ready(chunk_size, make, |decoder| decoder.reset(self.k, self.m, chunk_size))
    }
}

impl<E: Engine + 'static> Worker<E> {
    fn boxed(k: usize, m: usize, make_engine: fn() -> E) -> Box<dyn Work> {
        make_engine();
        Box::new(Self { shape: Shape { k, m, make_engine }, encoder: Kept::none(), decoder: Kept::none() })
    }
}

/// Computes the wanted coding chunks from the data chunks that were read or restored. Does nothing if no coding chunk is wanted.
fn rebuild_coding<E: Engine>(
    shape: &Shape<E>,
    kept: &mut Kept<DefaultRateEncoder<E>>,
    chunks: Chunks,
    restored: Option<&DecoderResult>,
) -> Result<(), Failure> {
    let Shape { k, m, .. } = *shape;
    if !(k..k + m).any(|i| chunks.is_rebuilt(i)) {
        return Ok(());
    }
    let encoder = shape.encoder(kept, chunks.chunk_size())?;
    for i in 0..k {
        let chunk = chunks.read(i).or_else(|| restored?.restored_original(i)).ok_or("a data chunk is missing")?;
        encoder.add_original_shard(chunk).map_err(text)?;
    }
    let recovery = encoder.encode().map_err(text)?;
    for i in (0..m).filter(|&i| chunks.is_rebuilt(k + i)) {
        chunks.rebuild(k + i, recovery.recovery(i).ok_or("a lost coding chunk was not computed")?);
    }
    Ok(())
}

impl<E: Engine> Work for Worker<E> {
    fn encode(&mut self, data: Data, coding: Coding) -> Result<(), Failure> {
        let encoder = self.shape.encoder(&mut self.encoder, data.chunk_size())?;
        for chunk in data.chunks() {
            encoder.add_original_shard(chunk).map_err(text)?;
        }
        let recovery = encoder.encode().map_err(text)?;
        for (chunk, computed) in coding.chunks_mut().zip(recovery.recovery_iter()) {
            chunk.copy_from_slice(computed);
        }
        Ok(())
    }

    fn decode(&mut self, chunks: Chunks) -> Result<(), Failure> {
        let Shape { k, m, .. } = self.shape;
        if (0..k).all(|i| chunks.is_read(i)) {
            return rebuild_coding(&self.shape, &mut self.encoder, chunks, None);
        }
        let decoder = self.shape.decoder(&mut self.decoder, chunks.chunk_size())?;
        for i in 0..k + m {
            match chunks.read(i) {
                Some(chunk) if i < k => decoder.add_original_shard(i, chunk).map_err(text)?,
                Some(chunk) => decoder.add_recovery_shard(i - k, chunk).map_err(text)?,
                None => {}
            }
        }
        let restored = decoder.decode().map_err(text)?;
        for i in (0..k).filter(|&i| chunks.is_rebuilt(i)) {
            chunks.rebuild(i, restored.restored_original(i).ok_or("a lost data chunk was not restored")?);
        }
        rebuild_coding(&self.shape, &mut self.encoder, chunks, Some(&restored))
    }
}

fn text(error: Error) -> Failure {
    error.to_string()
}
