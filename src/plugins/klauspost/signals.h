// Restores signal handlers that Go's runtime replaces in the whole process when the plugin is loaded.

#pragma once

namespace ecbench::klauspost {

/// Restores the handlers of signals that end the process. Without this, a memory fault, or a write to a pipe without a reader,
/// would end ecbench with Go's exit code 2, which in ecbench means wrong bytes. Call this function after Go's runtime has started.
void give_back_signals();

}  // namespace ecbench::klauspost
