// Workers, progress and interruption of long operations, as the user asked for them.
#pragma once

#include <boost/program_options.hpp>
#include <memory>

#include "exporter/commands/command.h"
#include "exporter/run_control.h"

namespace kimi3 {

void add_control_options(boost::program_options::options_description& options);

// While it lives, SIGINT and SIGTERM ask the operation to stop, and a progress line is drawn on
// standard error where that is a terminal and --progress does not say otherwise.
class OperationControl {
 public:
  explicit OperationControl(const Arguments& arguments);
  ~OperationControl();
  OperationControl(const OperationControl&) = delete;
  OperationControl& operator=(const OperationControl&) = delete;

  const RunControl& run_control() const { return control_; }

 private:
  class ProgressLine;
  RunControl control_;
  std::unique_ptr<ProgressLine> line_;
};

}  // namespace kimi3
