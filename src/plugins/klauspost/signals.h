// Restores signal handlers that Go's runtime replaces in the whole process when the plugin is loaded.

#pragma once

namespace ecbench::klauspost {

/// Restores the handlers of signals that end the process. A fault then ends ecbench as it does without Go, not with exit code 2,
/// which means wrong bytes; the same holds for a pipe without a reader. Call it when the runtime runs.
void give_back_signals();

}  // namespace ecbench::klauspost
