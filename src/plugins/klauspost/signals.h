// Restores signal handlers that Go's runtime replaces in the whole process when the plugin is loaded.

#pragma once

namespace ecbench::klauspost {

/// Restores the handlers of signals that end the process. A fault then ends ecbench as it does without Go, and not with exit code
/// 2, which means wrong bytes; a write to a pipe without a reader also does. Call this while Go's runtime runs.
void give_back_signals();

}  // namespace ecbench::klauspost
