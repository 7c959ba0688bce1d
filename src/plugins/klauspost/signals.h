// Restores signal handlers that Go's runtime replaces in the whole process when the plugin is loaded.

#pragma once

namespace ecbench::klauspost {

/// Restores the handlers of SIGPIPE, SIGSEGV, SIGBUS and SIGFPE. After a memory fault, or a write to a pipe without a reader, Go's
/// handlers would end ecbench with exit code 2. In ecbench, exit code 2 means wrong bytes. Call this function after Go's runtime
/// has started.
void give_back_signals();

}  // namespace ecbench::klauspost
