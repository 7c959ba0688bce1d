//! The workers of each thread, one for each code that the thread runs: kept between calls, and shared with no other thread, so that
//! threads on one code do not wait for each other.

use foreign_code::Failure;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

use crate::worker::Work;

struct Worker {
    code: Weak<()>,
    work: Box<dyn Work>,
}

impl Worker {
    fn belongs_to(&self, code: &Arc<()>) -> bool {
        Weak::as_ptr(&self.code) == Arc::as_ptr(code)
    }
}

thread_local! {
    static WORKERS: RefCell<Vec<Worker>> = const { RefCell::new(Vec::new()) };
}

/// Runs `call` on this thread's worker of the code that `code` identifies, made by `make` if there is none. A worker whose call
/// failed or panicked may be in any state, and is dropped.
pub fn with_worker(
    code: &Arc<()>,
    make: impl FnOnce() -> Box<dyn Work>,
    call: impl FnOnce(&mut dyn Work) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut worker = WORKERS.with_borrow_mut(|workers| match workers.iter().position(|worker| worker.belongs_to(code)) {
        Some(i) => workers.swap_remove(i),
        None => {
            // Room for it too, so that its return allocates nothing.
            workers.retain(|worker| worker.code.strong_count() > 0);
            workers.reserve(1);
            Worker { code: Arc::downgrade(code), work: make() }
        }
    });
    call(&mut *worker.work)?;
    WORKERS.with_borrow_mut(|workers| workers.push(worker));
    Ok(())
}

/// To be called when the code goes: other threads drop their workers of it when they next make one, or end.
pub fn drop_worker(code: &Arc<()>) {
    WORKERS.with_borrow_mut(|workers| workers.retain(|worker| !worker.belongs_to(code)));
}
