// SHA-256, through OpenSSL's EVP interface.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kimi3 {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  // 64 lower-case hexadecimal digits; the object is spent afterwards.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view text);

// How digests are written: "sha256:" and 64 lower-case hexadecimal digits.
std::string format_digest(std::string_view hex);
bool is_digest(std::string_view text);

}  // namespace kimi3
