// Writing one result file that the user named.
#pragma once

#include <string>
#include <string_view>

#include "exporter/file_system.h"

namespace kimi3 {

// Gives `path` the content `text`, whole or not at all: written under a temporary name beside it,
// synced and renamed. Throws kMalformed where `path` names something that is not a regular file
// (replacing a device or a directory is never what was meant), kMachine where a step fails.
void write_result_file(const std::string& path, std::string_view text,
                       FileSystem& files = real_file_system());

}  // namespace kimi3
