// Plain-text tables: what people read in a terminal, and what scripts cut with awk.
#pragma once

#include <string>
#include <vector>

namespace kimi3 {

enum class Align { kLeft, kRight };

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell for each column.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // The title line and one line a row, columns two spaces apart, no trailing spaces.
  std::string render() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace kimi3
