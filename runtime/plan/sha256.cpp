#include "runtime/plan/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <new>

#include "kimi3/error.h"

namespace kimi3 {
namespace {

constexpr std::string_view kPrefix = "sha256:";
constexpr std::size_t kHexDigits = 64;

void check(int ok) {
  if (ok != 1) throw machine_failure("OpenSSL cannot compute SHA-256");
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* handle = EVP_MD_CTX_new();
  Context() {
    if (handle == nullptr) throw std::bad_alloc();
  }
  ~Context() { EVP_MD_CTX_free(handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check(EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size()));
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text))); }

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(context_->handle, raw.data(), &size));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(kHexDigits);
  for (unsigned int i = 0; i < size; ++i) {
    hex += kDigits[raw[i] >> 4U];
    hex += kDigits[raw[i] & 15U];
  }
  return hex;
}

std::string sha256_hex(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.finish();
}

std::string format_digest(std::string_view hex) { return std::string(kPrefix).append(hex); }

bool is_digest(std::string_view text) {
  if (!text.starts_with(kPrefix)) return false;
  text.remove_prefix(kPrefix.size());
  return text.size() == kHexDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace kimi3
