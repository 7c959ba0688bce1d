//! The decode plans of a code, by erasure pattern: ecbench computes plans before the clock starts, and the crate's API has plans too.

use foreign_code::{Chunks, Failure};
use rusty_erasure::{Coder, DecodePlan};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Bit i of the first half: chunk i is read; of the second half: it is rebuilt.
type Pattern = [u64; 8];

const MOST_PLANS: usize = 4096;

#[derive(Default)]
pub struct Plans(RwLock<HashMap<Pattern, Arc<DecodePlan>>>);

impl Plans {
    /// The plan for `chunks`, which are `n`, at most 256.
    pub fn of(&self, coder: &Coder, chunks: Chunks, n: usize) -> Result<Arc<DecodePlan>, Failure> {
        let mut pattern = Pattern::default();
        for i in 0..n {
            pattern[i / 64] |= u64::from(chunks.is_read(i)) << (i % 64);
            pattern[4 + i / 64] |= u64::from(chunks.is_rebuilt(i)) << (i % 64);
        }
        if let Some(plan) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&pattern) {
            return Ok(plan.clone());
        }
        let present: Vec<bool> = (0..n).map(|i| chunks.is_read(i)).collect();
        let rebuilt: Vec<usize> = (0..n).filter(|&i| chunks.is_rebuilt(i)).collect();
        let plan = Arc::new(coder.decode_plan(&present, &rebuilt).map_err(|error| error.to_string())?);
        let mut plans = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= MOST_PLANS {
            plans.clear();
        }
        plans.insert(pattern, plan.clone());
        Ok(plan)
    }
}
