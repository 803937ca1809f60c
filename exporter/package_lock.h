// The lock of a package: whoever changes what is in its directory, or replaces it, holds it.
#pragma once

#include <string>

#include "exporter/file_system.h"
#include "exporter/run_control.h"
#include "runtime/plan/beneath.h"

namespace kimi3 {

// Waits for the lock of an open directory; it is held until the descriptor is closed. Throws
// kMachine when control.lock_limit is over, and when asked to stop.
void take_lock(FileSystem& files, int directory, const std::string& shown,
               const RunControl& control);

// Opens and locks the directory that `path` names once the lock is held, whichever had the name
// when the waiting began.
FileDescriptor open_locked(FileSystem& files, const std::string& path, const RunControl& control);

}  // namespace kimi3
