// Runs a fuzz target on every file of the directories that are named, and on mutations of the
// smaller ones: the same mutations each time.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kLargestMutated = 4096;
constexpr int kMutationsOfEach = 400;
constexpr std::array<std::string_view, 33> kFragments{
    "[",   "]",  "{",  "}",    ":",    ": ", "- ",   "? ",    ",",     "\"", "'",
    "|",   ">",  "#",  "!",    "&a",   "*a", "<<: ", "---\n", "...\n", "%",  "\n",
    "\n ", "\\", "\t", "\xC3", "\xA9", "~",  "null", "010",   "8.0",   "\0", "1e400"};

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

// std::mt19937 is the same everywhere; the standard's distributions are not.
class Mutator {
 public:
  std::string mutate(std::string text) {
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) edit(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  void edit(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t span = std::min(1 + below(16), text.size() - at);
    switch (below(4)) {
      case 0:
        text.insert(at, kFragments[below(kFragments.size())]);
        break;
      case 1:
        text.erase(at, span);
        break;
      case 2:
        text.insert(below(text.size() + 1), text.substr(at, span));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
    }
  }

  std::mt19937 random_{1};
};

std::vector<std::filesystem::path> files_below(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  Mutator mutator;
  std::size_t inputs = 0;
  for (int i = 1; i < argc; ++i) {
    for (const std::filesystem::path& path : files_below(argv[i])) {
      std::ifstream file(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      run(text);
      ++inputs;
      if (text.size() > kLargestMutated) continue;
      for (int n = 0; n < kMutationsOfEach; ++n) run(mutator.mutate(text));
      inputs += kMutationsOfEach;
    }
  }
  std::cout << inputs << " inputs\n";
  return inputs > 0 ? 0 : 1;
}
