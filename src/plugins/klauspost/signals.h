// Go's runtime, which starts when the plugin is loaded, takes over signals of the whole process.

#pragma once

namespace ecbench::klauspost {

/// Gives back those by which a process ends: a fault ends ecbench as it does without Go, and not with exit code 2, which means
/// wrong bytes; so does a pipe without a reader. Called when the runtime runs.
void give_back_signals();

}  // namespace ecbench::klauspost
