// ecbench's declaration of the interface between Ceph and its erasure code plugins. No package installs Ceph's own headers for this
// interface. The virtual functions must be in the same order as in Ceph. This order was checked with the plugins of Debian's Ceph
// 16.2.15, 18.2.7 and 20.2.4: the symbol tables of these plugins contain the name of each entry in their virtual tables. In other
// releases, the order was not checked. Therefore load() accepts only releases 16.2.x, 18.2.x and 20.2.x. This header also declares
// the registry that the plugins expect in the process.

#pragma once

#include <rados/buffer.h>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

class CrushWrapper;

namespace ceph {

using CephProfile = std::map<std::string, std::string>;
using Chunks = std::map<int, bufferlist>;                           ///< key: position
using SubChunks = std::map<int, std::vector<std::pair<int, int>>>;  ///< key: position; pairs: first sub-chunk, number of sub-chunks

class ErasureCodeInterface20;

/// The functions that are not virtual call those of the installed release. If a function returns an int, a negative result is a
/// negative errno. This does not apply to get_sub_chunk_count(), which returns a count.
class ErasureCodeInterface {
 public:
  virtual ~ErasureCodeInterface() = default;
  virtual int init(CephProfile& profile, std::ostream* messages) = 0;
  virtual const CephProfile& get_profile() const = 0;
  virtual int create_rule(const std::string& name, CrushWrapper& crush, std::ostream* messages) const = 0;
  virtual unsigned int get_chunk_count() const = 0;
  virtual unsigned int get_data_chunk_count() const = 0;
  virtual unsigned int get_coding_chunk_count() const = 0;
  virtual int get_sub_chunk_count() = 0;
  virtual unsigned int get_chunk_size(unsigned int object_size) const = 0;

  int minimum_to_decode(const std::set<int>& wanted, const std::set<int>& available, SubChunks* minimum);
  int encode_chunks(const std::set<int>& wanted, Chunks* encoded);
  int decode(const std::set<int>& wanted, const Chunks& chunks, Chunks* decoded, int chunk_size);
  int decode_chunks(const std::set<int>& wanted, const Chunks& chunks, Chunks* decoded);
  std::vector<int> chunk_mapping();
  /// Null if the release or the code has no parity delta.
  ErasureCodeInterface20* parity_delta();
};

/// The other virtual functions of Ceph 16.2 and 18.2.
class ErasureCodeInterface16 : public ErasureCodeInterface {
 public:
  virtual int minimum_to_decode(const std::set<int>& wanted, const std::set<int>& available, SubChunks* minimum) = 0;
  virtual int minimum_to_decode_with_cost(const std::set<int>& wanted, const std::map<int, int>& available,
                                          std::set<int>* minimum) = 0;
  virtual int encode(const std::set<int>& wanted, const bufferlist& object, Chunks* encoded) = 0;
  virtual int encode_chunks(const std::set<int>& wanted, Chunks* encoded) = 0;
  virtual int decode(const std::set<int>& wanted, const Chunks& chunks, Chunks* decoded, int chunk_size) = 0;
  virtual int decode_chunks(const std::set<int>& wanted, const Chunks& chunks, Chunks* decoded) = 0;
  virtual const std::vector<int>& get_chunk_mapping() const = 0;
};

/// The memory layout of Ceph 20.2's map from positions to buffers, which Ceph's inline functions in the plugins read.
class ShardBuffers {
 public:
  explicit ShardBuffers(int chunk_count)
      : buffers_(static_cast<std::size_t>(chunk_count)),
        end_{this, {}, static_cast<std::int8_t>(chunk_count)},
        const_end_{this, {}, static_cast<std::int8_t>(chunk_count)} {}
  ShardBuffers(const ShardBuffers&) = delete;
  ShardBuffers& operator=(const ShardBuffers&) = delete;

  /// `position` must have no buffer yet.
  void emplace(int position, bufferptr buffer) {
    buffers_[static_cast<std::size_t>(position)] = std::move(buffer);
    count_++;
  }

 private:
  struct Iterator {
    ShardBuffers* map;
    std::optional<std::pair<const std::int8_t*, bufferptr*>> entry;  // references in Ceph
    std::int8_t position;
  };

  std::vector<std::optional<bufferptr>> buffers_;
  Iterator end_;
  Iterator const_end_;
  std::size_t count_ = 0;
};

/// The other virtual functions of Ceph 20.2. Pools without allow_ec_optimizations use the functions with std::set and std::map.
/// ecbench does not call their variants for other pools (`shards_`), so it declares these without parameters.
class ErasureCodeInterface20 : public ErasureCodeInterface {
 public:
  virtual int shards_minimum_to_decode() = 0;
  virtual int minimum_to_decode(const std::set<int>& wanted, const std::set<int>& available, SubChunks* minimum) = 0;
  virtual int shards_minimum_to_decode_with_cost() = 0;
  virtual int minimum_to_decode_with_cost(const std::set<int>& wanted, const std::map<int, int>& available,
                                          std::set<int>* minimum) = 0;
  virtual std::size_t get_minimum_granularity() = 0;
  virtual int shards_encode() = 0;
  virtual int encode(const std::set<int>& wanted, const bufferlist& object, Chunks* encoded) = 0;
  virtual int encode_chunks(const std::set<int>& wanted, Chunks* encoded) = 0;
  virtual int shards_encode_chunks() = 0;
  virtual void encode_delta(const bufferptr& old_bytes, const bufferptr& new_bytes, bufferptr* delta) = 0;
  /// `deltas` has the deltas of data chunks. The coding chunks in `coding` are updated.
  virtual void apply_delta(const ShardBuffers& deltas, ShardBuffers& coding) = 0;
  virtual int shards_decode() = 0;
  virtual int decode(const std::set<int>& wanted, const Chunks& chunks, Chunks* decoded, int chunk_size) = 0;
  virtual int shards_decode_chunks() = 0;
  virtual int decode_chunks(const std::set<int>& wanted, const Chunks& chunks, Chunks* decoded) = 0;
  virtual const std::vector<std::int8_t>& get_chunk_mapping() const = 0;
  virtual int decode_concat(const std::set<int>& wanted, const Chunks& chunks, bufferlist* decoded) = 0;
  virtual int decode_concat(const Chunks& chunks, bufferlist* decoded) = 0;
  virtual std::uint64_t get_supported_optimizations() const = 0;

  static constexpr std::uint64_t parity_delta_optimization = 1 << 4;
};

/// The entry point of a plugin makes an instance of this class and passes it to ErasureCodePluginRegistry::add().
class ErasureCodePlugin {
 public:
  virtual ~ErasureCodePlugin() = default;
  virtual int factory(const std::string& directory, CephProfile& profile, std::shared_ptr<ErasureCodeInterface>* code,
                      std::ostream* messages) = 0;
};

/// The plugins find these functions by their symbols. Ceph's lrc and clay call factory() to make codes of other plugins.
class __attribute__((visibility("default"))) ErasureCodePluginRegistry {
 public:
  int add(const std::string& name, ErasureCodePlugin* plugin);
  /// Loads the plugin if it is not loaded yet.
  int factory(const std::string& plugin, const std::string& directory, CephProfile& profile,
              std::shared_ptr<ErasureCodeInterface>* code, std::ostream* messages);

  static ErasureCodePluginRegistry singleton;

 private:
  std::map<std::string, ErasureCodePlugin*> plugins_;  // never deleted; the shared objects are never unloaded
};

}  // namespace ceph
