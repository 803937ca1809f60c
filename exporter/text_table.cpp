#include "exporter/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace kimi3 {

std::string TextTable::render() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    widths.push_back(titles[c].size());
    for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::kLeft ? fmt::format("{:<{}}", cells[c], widths[c])
                                                : fmt::format("{:>{}}", cells[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append(titles);
  for (const auto& row : rows_) append(row);
  return text;
}

}  // namespace kimi3
