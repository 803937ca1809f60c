#include "kimi3/vocabulary.h"

#include <cstdlib>

namespace kimi3 {

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::kPrefill:
      return "prefill";
    case Mode::kDecode:
      return "decode";
    case Mode::kVerify:
      return "verify";
    case Mode::kDraft:
      return "draft";
  }
  std::abort();
}

std::string_view to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRegular:
      return "regular";
    case Algorithm::kTwoShot:
      return "two_shot";
    case Algorithm::kDmaRing:
      return "dma_ring";
  }
  std::abort();
}

std::string_view to_string(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kBackendDefined:
      return "backend_defined";
    case Arithmetic::kFp32RankOrder:
      return "fp32_rank_order";
    case Arithmetic::kBf16HopSum:
      return "bf16_hop_sum";
    case Arithmetic::kFp32OwnerPacket:
      return "fp32_owner_packet";
  }
  std::abort();
}

std::string_view to_string(DType dtype) {
  switch (dtype) {
    case DType::kBfloat16:
      return "bfloat16";
  }
  std::abort();
}

}  // namespace kimi3
