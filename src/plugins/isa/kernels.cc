#include <isa-l.h>

#include <array>
#include <cstring>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "plugins/isa/isa_code.h"

// Weak: a libisal may lack some of these functions, which are then null. ISA-L's headers do not declare all of them.
extern "C" {
#define ECBENCH_WEAK(function, like) __attribute__((weak)) extern decltype(like) function
ECBENCH_WEAK(ec_encode_data_sse, ec_encode_data);
ECBENCH_WEAK(ec_encode_data_avx, ec_encode_data);
ECBENCH_WEAK(ec_encode_data_avx2, ec_encode_data);
ECBENCH_WEAK(ec_encode_data_avx512, ec_encode_data);
ECBENCH_WEAK(ec_encode_data_avx2_gfni, ec_encode_data);
ECBENCH_WEAK(ec_encode_data_avx512_gfni, ec_encode_data);
ECBENCH_WEAK(ec_encode_data_update_sse, ec_encode_data_update);
ECBENCH_WEAK(ec_encode_data_update_avx2, ec_encode_data_update);
ECBENCH_WEAK(ec_encode_data_update_avx512, ec_encode_data_update);
ECBENCH_WEAK(ec_encode_data_update_avx2_gfni, ec_encode_data_update);
ECBENCH_WEAK(ec_encode_data_update_avx512_gfni, ec_encode_data_update);
ECBENCH_WEAK(ec_encode_data_update_neon, ec_encode_data_update);
ECBENCH_WEAK(ec_encode_data_neon, ec_encode_data);
ECBENCH_WEAK(ec_init_tables_base, ec_init_tables);
ECBENCH_WEAK(ec_init_tables_gfni, ec_init_tables);
ECBENCH_WEAK(xor_gen_sse, xor_gen);
ECBENCH_WEAK(xor_gen_avx, xor_gen);
ECBENCH_WEAK(xor_gen_avx512, xor_gen);
ECBENCH_WEAK(xor_gen_neon, xor_gen);
#undef ECBENCH_WEAK
}

namespace ecbench::isa {
namespace {

// ISA-L's tables have 32 bytes per coefficient. In release 2.31, the tables for GFNI use only 8 of these bytes.
constexpr std::size_t table_size = 32;

struct Level {
  const char* name;
  Kernels kernels;
};

/// ISA-L releases without ec_init_tables_base have only nibble tables.
decltype(Kernels::make_tables) nibble_tables() { return ec_init_tables_base != nullptr ? ec_init_tables_base : ec_init_tables; }

// On CPUs with AVX2 but without AVX-512, ISA-L uses xor_gen_avx. ISA-L has no xor_gen for GFNI.
#define ECBENCH_KERNELS(vectors, xor_gen, make_tables) \
  { ec_encode_data_##vectors, xor_gen, ec_encode_data_update_##vectors, "ec_encode_data_" #vectors, #xor_gen, make_tables }
std::array<Level, 7> levels() {
  return {{{"scalar", ECBENCH_KERNELS(base, xor_gen_base, nibble_tables())},
           {"ssse3", ECBENCH_KERNELS(sse, xor_gen_sse, nibble_tables())},
           {"avx2", ECBENCH_KERNELS(avx2, xor_gen_avx, nibble_tables())},
           {"avx2-gfni", ECBENCH_KERNELS(avx2_gfni, xor_gen_avx, ec_init_tables_gfni)},
           {"avx512", ECBENCH_KERNELS(avx512, xor_gen_avx512, nibble_tables())},
           {"avx512-gfni", ECBENCH_KERNELS(avx512_gfni, xor_gen_avx512, ec_init_tables_gfni)},
           {"neon", ECBENCH_KERNELS(neon, xor_gen_neon, nibble_tables())}}};
}
#undef ECBENCH_KERNELS

bool is_exported(const Level& level) {
  const Kernels& kernels = level.kernels;
  return kernels.encode_data != nullptr && kernels.xor_gen != nullptr && kernels.encode_data_update != nullptr &&
         kernels.make_tables != nullptr;
}

template <typename Function>
struct Named {
  Function* function;
  const char* name;
};

/// Follows jumps through a pointer, [endbr64] jmp *offset(%rip), at most four: ISA-L's dispatchers and PLT entries begin so.
const unsigned char* end_of_jumps(const unsigned char* code) {
#if defined(__x86_64__)
  constexpr std::array<unsigned char, 4> endbr64{0xf3, 0x0f, 0x1e, 0xfa};
  constexpr std::array<unsigned char, 2> jump_through_pointer{0xff, 0x25};
  for (int hops = 0; hops < 4; hops++) {
    const unsigned char* jump = code + (std::memcmp(code, endbr64.data(), endbr64.size()) == 0 ? endbr64.size() : 0);
    if (*jump == 0xf2) jump++;  // prefix bnd, written by older linkers
    if (std::memcmp(jump, jump_through_pointer.data(), jump_through_pointer.size()) != 0) break;
    std::int32_t offset;
    std::memcpy(&offset, jump + jump_through_pointer.size(), sizeof offset);
    std::memcpy(static_cast<void*>(&code), jump + jump_through_pointer.size() + sizeof offset + offset, sizeof code);
  }
#endif
  return code;
}

/// `unknown` if it is none of them. The dispatcher must have been called before.
template <typename Function, std::size_t count>
const char* name_of_choice(Function* dispatcher, const std::array<Named<Function>, count>& candidates, const char* unknown) {
  const auto address = [](Function* function) { return end_of_jumps(reinterpret_cast<const unsigned char*>(function)); };
  for (const auto& [function, name] : candidates) {
    if (function != nullptr && address(function) == address(dispatcher)) return name;
  }
  return unknown;
}

/// At its first call, a dispatcher chooses a kernel and stores its address.
void make_the_library_choose() {
  constexpr int size = 64;
  alignas(size) std::array<std::array<unsigned char, size>, 3> chunks{};
  std::array<unsigned char, table_size> tables{};
  unsigned char coefficient = 1;
  unsigned char* source = chunks[0].data();
  unsigned char* target = chunks[1].data();
  ec_init_tables(1, 1, &coefficient, tables.data());
  ec_encode_data(size, 1, 1, tables.data(), &source, &target);
  std::array<void*, 3> vectors{chunks[0].data(), chunks[1].data(), chunks[2].data()};
  xor_gen(static_cast<int>(vectors.size()), size, vectors.data());
}

Kernels native_kernels() {
  static const Kernels native = [] {
    make_the_library_choose();
    using EncodeData = decltype(ec_encode_data);
    using XorGen = decltype(xor_gen);
    const std::array<Named<EncodeData>, 7> encoders{{{ec_encode_data_base, "ec_encode_data_base"},
                                                     {ec_encode_data_sse, "ec_encode_data_sse"},
                                                     {ec_encode_data_avx, "ec_encode_data_avx"},
                                                     {ec_encode_data_avx2, "ec_encode_data_avx2"},
                                                     {ec_encode_data_avx512, "ec_encode_data_avx512"},
                                                     {ec_encode_data_avx2_gfni, "ec_encode_data_avx2_gfni"},
                                                     {ec_encode_data_avx512_gfni, "ec_encode_data_avx512_gfni"}}};
    const std::array<Named<XorGen>, 4> xors{{{xor_gen_base, "xor_gen_base"},
                                             {xor_gen_sse, "xor_gen_sse"},
                                             {xor_gen_avx, "xor_gen_avx"},
                                             {xor_gen_avx512, "xor_gen_avx512"}}};
    return Kernels{ec_encode_data,
                   xor_gen,
                   ec_encode_data_update,
                   name_of_choice(ec_encode_data, encoders, "ec_encode_data (dispatched by ISA-L)"),
                   name_of_choice(xor_gen, xors, "xor_gen (dispatched by ISA-L)"),
                   ec_init_tables};
  }();
  return native;
}

}  // namespace

std::vector<std::string> dispatch_levels() {
  std::vector<std::string> names;
  for (const Level& level : levels()) {
    if (is_exported(level)) names.emplace_back(level.name);
  }
  return names;
}

Kernels kernels_of(const std::string& level) {
#if defined(__x86_64__)
  // xor_gen_sse reads with movntdqa, an instruction of SSE4.1.
  if (level == "ssse3" && !__builtin_cpu_supports("sse4.1")) {
    throw Error(
        "--dispatch ssse3 is not allowed: ISA-L's kernels of this level need SSE4.1, which this CPU does not have; choose another "
        "level");
  }
#endif
  if (level == native_dispatch) return native_kernels();
  for (const Level& candidate : levels()) {
    if (level == candidate.name && is_exported(candidate)) return candidate.kernels;
  }
  throw Error("--dispatch " + level + " is not allowed: this libisal has no kernels of this level; choose another level");
}

Tables multiplication_tables(const Kernels& kernels, std::span<const std::uint8_t> coefficients, int k) {
  Tables tables(coefficients.size() * table_size);
  const int rows = static_cast<int>(coefficients.size()) / k;
  kernels.make_tables(k, rows, const_cast<std::uint8_t*>(coefficients.data()), tables.data());
  return tables;
}

// Here, because the compiler may vectorize this file (CMakeLists.txt).
void xor_bytes(const Kernels& kernels, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t size) {
  std::array<void*, 3> vectors{library_pointer<std::uint8_t>(a), library_pointer<std::uint8_t>(b), out};
  if (!are_aligned(vectors)) {
    for (std::size_t i = 0; i < size; i++) out[i] = a[i] ^ b[i];
    return;
  }
  if (kernels.xor_gen(static_cast<int>(vectors.size()), static_cast<int>(size), vectors.data()) != 0) {
    throw Error("ISA-L's xor_gen returned an error");
  }
}

}  // namespace ecbench::isa
