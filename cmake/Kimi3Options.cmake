# What every target compiles with. Bits matter here: contraction of a multiply and an add into one
# rounding is off, and nothing may turn on fast-math or flush-to-zero.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(kimi3_options INTERFACE)
target_include_directories(kimi3_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(kimi3_options INTERFACE
  -ffp-contract=off -fno-fast-math
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-align -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch
  -Wno-missing-field-initializers)  # every field of ours has a default
if(KIMI3_WERROR)
  target_compile_options(kimi3_options INTERFACE -Werror)
endif()
if(KIMI3_SANITIZE)
  target_compile_options(kimi3_options INTERFACE
    "-fsanitize=${KIMI3_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kimi3_options INTERFACE "-fsanitize=${KIMI3_SANITIZE}")
endif()
