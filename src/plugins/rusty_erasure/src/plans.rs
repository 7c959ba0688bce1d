//! The decode plans of a code, one for each erasure pattern. The plans are kept between calls, because kernel timing does not
//! include the computation of plans.

use foreign_code::{Chunks, Failure};
use rusty_erasure::{Coder, DecodePlan};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Two sets of 256 bits. In the first set, bit i is 1 if chunk i is read. In the second set, bit i is 1 if chunk i is rebuilt.
type Pattern = [u64; 8];

const MOST_PLANS: usize = 4096;

#[derive(Default)]
pub struct Plans(RwLock<HashMap<Pattern, Arc<DecodePlan>>>);

impl Plans {
    /// The plan for `chunks`. `n` is the number of chunks, at most 256.
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
