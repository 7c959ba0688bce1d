//! The workers of each thread. A thread has one worker for each code that it runs, and keeps its workers between calls. No other
//! thread uses these workers. Therefore threads that run the same code do not wait for each other.

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

/// Runs `call` on this thread's worker for the code that `code` identifies. If this thread has no worker for the code yet, `make`
/// creates one. A worker whose call failed or panicked is dropped, since its state is unknown.
pub fn with_worker(
    code: &Arc<()>,
    make: impl FnOnce() -> Box<dyn Work>,
    call: impl FnOnce(&mut dyn Work) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut worker = WORKERS.with_borrow_mut(|workers| match workers.iter().position(|worker| worker.belongs_to(code)) {
        Some(i) => workers.swap_remove(i),
        None => {
            // After the call, the worker is pushed to `workers`. The memory for this is reserved now, so that the push does not
            // allocate memory.
            workers.retain(|worker| worker.code.strong_count() > 0);
            workers.reserve(1);
            Worker { code: Arc::downgrade(code), work: make() }
        }
    });
    call(&mut *worker.work)?;
    WORKERS.with_borrow_mut(|workers| workers.push(worker));
    Ok(())
}

/// Drops this thread's worker for the code. This function must be called when the code is dropped. Every other thread drops its
/// worker for the code when that thread creates another worker, or when it ends.
pub fn drop_worker(code: &Arc<()>) {
    WORKERS.with_borrow_mut(|workers| workers.retain(|worker| !worker.belongs_to(code)));
}
