#include "plugins/simd/multiplication.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace ecbench::simd {
namespace {

/// The size of a block in bytes. A block is the same range of bytes of several chunks, for example of all sources. Blocks are used
/// if several passes read the same chunks. A block stays in the core's L2 cache until the last pass has read it. The L1 cache is
/// not suitable for blocks, because chunks that begin at multiples of 4 KiB would evict each other there.
constexpr std::size_t block_bytes = 128 << 10;

bool has_powers(const std::uint8_t* elements, int row_count, int column_count) {
  const ByteField& field = ByteField::get();
  std::uint8_t base = 1;
  for (int row = 0; row < row_count; row++) {
    std::uint8_t power = 1;
    for (int column = 0; column < column_count; column++) {
      if (*elements++ != power) return false;
      power = field.multiply(power, base);
    }
    base = field.multiply(base, 2);
  }
  return column_count > 1;
}

std::vector<std::uint8_t> elements_of(const Matrix& matrix) {
  std::vector<std::uint8_t> elements;
  for (const Element element : matrix.elements) elements.push_back(static_cast<std::uint8_t>(element));
  return elements;
}

bool is_intel() {
#if defined(__x86_64__)
  return __builtin_cpu_is("intel");
#else
  return false;
#endif
}

}  // namespace

std::size_t own_cache_bytes() {
  static const std::size_t bytes = [] {
    constexpr long usual = 2 << 20;
    const long level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return static_cast<std::size_t>(level2 > 0 ? level2 : usual);
  }();
  return bytes;
}

// The speed with streaming stores, divided by the speed with temporal stores, for several codes k+m. Values above 1 mean that
// streaming stores are faster.
// - Encode, Intel Granite Rapids (2 MiB of L2 cache). Cold: 1.4 for 6+2, 1.5 for 8+4. Warm: 1.0 if the data is in the L3 cache, 0.7
// if the data is in the L2 cache.
// - Encode, AMD Milan (512 KiB of L2 cache). Objects of 1 MiB, cold: 1.12 for 6+1, 1.04 for 6+2, 0.97 for 8+4. Objects of 4 MiB,
// warm, data in the L3 cache: 1.05 for 6+1, 0.76 for 6+2, 0.83 for 8+4.
// - Decode, AMD Milan, objects of 1 MiB. Each call rebuilds one chunk, and writes it to the same address as the previous call.
// Cold: 1.32 for 2+1, 1.24 for 4+1. Warm: 0.66 for 2+1, 0.82 for 4+1. AMD Genoa (1 MiB of L2 cache): cold 1.16 for 2+4, 1.0 for
// 4+4, 0.77 for 8+4, 0.85 for 64+4; warm 0.64 for 2+4, 0.62 for 4+4, 0.57 for 16+4, 0.51 for 64+4. So with four or more sources,
// temporal stores gain more when warm than streaming stores when cold, on both CPUs.
// - Decode, Intel Emerald Rapids (2 MiB of L2 cache), warm. Objects of 1 MiB: 1.12 for 64 lost chunks of 64+64, 1.08 for 32, 0.92
// for 16 of 32+32. 64 of 64+64 with other sizes: 0.95 for 512 KiB, 1.3 for 2 MiB, 7 for 4 MiB. Many chunks that begin at multiples
// of 4 KiB evict each other before the cache is full.
Store store_for(StorePolicy policy, std::size_t source_count, std::size_t target_count, std::size_t size) {
  if (policy == StorePolicy::automatic) {
    const std::size_t count = source_count + target_count;
    const bool evicts_itself = count > 64 && target_count >= 16;
    const bool is_outside = count * size > (evicts_itself ? own_cache_bytes() / 4 * 3 - 1 : own_cache_bytes());
    return is_outside && (is_intel() || (target_count == 1 && source_count < 4)) ? Store::streaming : Store::temporal;
  }
  return policy == StorePolicy::streaming ? Store::streaming : Store::temporal;
}

std::size_t block_size(std::size_t source_count) {
  return std::max(block_bytes / source_count / cache_line, std::size_t{1}) * cache_line;
}

Form form_of(const std::uint8_t* elements, int row_count, int column_count) {
  const auto at = [&](int row, int column) { return elements[index(row) * index(column_count) + index(column)]; };
  bool has_ones_row = true;
  bool is_complementary = column_count >= row_count;
  for (int column = 0; column < column_count && (has_ones_row || is_complementary); column++) {
    unsigned sum = 0;
    for (int row = 0; row < row_count; row++) sum ^= at(row, column);
    has_ones_row = has_ones_row && at(0, column) == 1;
    is_complementary = is_complementary && sum == (column <= column_count - row_count ? 1u : 0u);
  }
  if (!has_ones_row) return is_complementary ? Form::complementary : Form::general;
  bool has_ones_column = row_count > 1;
  for (int row = 0; row < row_count; row++) has_ones_column = has_ones_column && at(row, 0) == 1;
  if (!has_ones_column) return Form::ones_row;
  return has_powers(elements, row_count, column_count) ? Form::powers : Form::normalised;
}

Multiplication::Multiplication(const Kernel& kernel, const Matrix& matrix, Basis basis)
    : Multiplication(kernel, matrix.rows, matrix.columns, elements_of(matrix).data(), {}, {}, nullptr, basis) {}

Multiplication::Multiplication(const Kernel& kernel, int row_count, int column_count, const std::uint8_t* elements,
                               std::optional<Form> known_form, std::span<const std::uint8_t> lost, std::uint8_t* tables,
                               Basis basis)
    : kernel_(kernel) {
  if (tables == nullptr) {
    own_tables_.resize(table_bytes(kernel, row_count, column_count) / cache_line + 1);
    tables = own_tables_.front().bytes.data();
  }
  const std::uint8_t* const all_tables = kernel.all_tables(basis);
  std::uint8_t* next = tables;
  // Rows are divided evenly: five rows become groups of two and three rows, not of four and one.
  const int group_count = (row_count + kernel.most_rows - 1) / kernel.most_rows;
  if (group_count > 1) more_groups_.resize(index(group_count));
  for (int i = 0; i < group_count; i++) {
    const int first = row_count * i / group_count;
    const int count = row_count * (i + 1) / group_count - first;
    const std::uint8_t* const rows = elements + index(first) * index(column_count);
    Group& group = group_count > 1 ? more_groups_[index(i)] : group_;
    group.first_row = first;
    const bool is_known = known_form && group_count == 1;
    Form form = is_known ? *known_form : form_of(rows, count, column_count);
    // The loops for powers multiply by 2 without a table.
    if (form == Form::powers && basis != Basis::natural) form = Form::normalised;
    group.rows = {.row_count = count, .source_count = column_count, .form = form, .lost = {}, .tables = next};
    if (form == Form::syndromes) std::ranges::copy(lost, group.rows.lost);
    group.temporal = kernel.pass(group.rows, Store::temporal);
    for (int column = 0; column < column_count; column++) {
      for (int row = 0; row < count; row++, next += kernel.table_bytes) {
        const std::uint8_t coefficient = rows[index(row) * index(column_count) + index(column)];
        const std::uint8_t* const table = all_tables + coefficient * kernel.table_bytes;
        if (kernel.table_bytes == nibble_table_bytes) {  // both calls of memcpy have a size that the compiler knows
          std::memcpy(next, table, nibble_table_bytes);
        } else {
          std::memcpy(next, table, bit_matrix_bytes);
        }
      }
    }
  }
}

void Multiplication::run(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size,
                         Store store) const {
  if (size == 0) return;
  if (store == Store::streaming) {
    const auto is_aligned = [](const std::uint8_t* p) { return reinterpret_cast<std::uintptr_t>(p) % cache_line == 0; };
    if (!std::ranges::all_of(targets, is_aligned)) store = Store::temporal;
  }
  if (groups().size() == 1) {
    run_groups(sources, targets, 0, size, store);
  } else {
    const std::size_t block = block_size(sources.size());
    for (std::size_t begin = 0; begin < size; begin += block) {
      run_groups(sources, targets, begin, std::min(begin + block, size), store);
    }
  }
  if (store == Store::streaming) kernel_.fence();
}

void Multiplication::update(std::span<const Change> changes, std::span<std::uint8_t* const> targets, std::size_t size) const {
  if (changes.empty()) return;
  // Changes are divided evenly: four changes become parts of two and two changes, not of three and one.
  const std::size_t parts = (changes.size() + most_changes - 1) / most_changes;
  const bool is_one_pass = parts == 1 && groups().size() == 1;
  const std::size_t reread_sources = groups().size() == 1 ? 0 : 2 * changes.size();
  const std::size_t block = is_one_pass ? size : block_size(targets.size() + reread_sources);
  for (std::size_t begin = 0; begin < size; begin += block) {
    for (const Group& group : groups()) {
      for (std::size_t part = 0; part < parts; part++) {
        const std::size_t first = changes.size() * part / parts;
        const std::size_t after = changes.size() * (part + 1) / parts;
        const int count = static_cast<int>(after - first);
        const Update function = kernel_.update(group.rows, count);
        function(group.rows, changes.data() + first, count, targets.data() + index(group.first_row), begin,
                 std::min(begin + block, size));
      }
    }
  }
}

void Multiplication::run_groups(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets,
                                std::size_t begin, std::size_t end, Store store) const {
  for (const Group& group : groups()) {
    const Pass pass = store == Store::streaming ? kernel_.pass(group.rows, store) : group.temporal;
    pass(group.rows, sources.data(), targets.data() + index(group.first_row), begin, end);
  }
}

}  // namespace ecbench::simd
