// The columns that describe the point: the code, the erasures, the reads of a repair, and the conditions of the measurement.

#include "benchmark/environment/environment.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/objects/overwrites.h"
#include "benchmark/pace/pace.h"
#include "report/columns.h"
#include "report/json.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

int coding_chunks(const Row& row) { return row.measurement.chunk_count - row.measurement.data_chunk_count; }

/// If several chunks were lost and repaired in turn, the mean cost of these repairs.
ReadCost reads_of(const Row& row) {
  return repairs(row) ? mean_read_cost(row.measurement.repairs, row.measurement.sub_chunk_count) : ReadCost{};
}

bool overwrites(const Row& row) { return row.measurement.point.changed_chunks > 0; }

OverwriteCost cost_of(const Row& row) {
  return overwrite_cost(row.measurement.point.changed_chunks, row.measurement.data_chunk_count, coding_chunks(row));
}

Json accesses(const Row& row, const ChunkAccesses& found) {
  return known(overwrites(row), std::to_string(found.reads) + "+" + std::to_string(found.writes));
}

Json parameter(const Row& row, const std::string& key) { return known(row.measurement.point.profile.text(key)); }

bool is_cold(const Row& row) { return row.measurement.point.cache == CacheState::cold; }

bool has_own_codecs(const Row& row) { return !row.measurement.point.codec_lib.empty(); }

Json libraries() {
  const Json library = object_of(
      {{"path", described("The path of the file, without symbolic links. ~ replaces the home directory.", text(1))},
       {"version",
        described("The text after .so. in the name of the file. If the name has no such text, the text after .so. in the "
                  "library's soname. null if both have none. Example: 2.0.31 is the version of ISA-L 2.31.",
                  nullable(text()))},
       {"build_id", described("The build id of the library that ran, in hexadecimal digits; null if the library has no build id.",
                              nullable(text()))}});
  return {{"type", {"object", "null"}}, {"minProperties", 1}, {"additionalProperties", library}};
}

/// {position: [[first sub-chunk, number of sub-chunks], ...]}
Json read_sets() {
  Json run = list_of(whole());
  run.update({{"minItems", 2}, {"maxItems", 2}});
  Json runs = list_of(run);
  runs["minItems"] = 1;
  return {{"type", {"object", "null"}}, {"additionalProperties", runs}};
}

}  // namespace

std::vector<Column> point_columns() {
  return {
      {"schema_version", Json{{"const", row_schema_version}},
       "The version of this format. It changes if a key is removed, or if the meaning of a key changes. It does not change if a "
       "key is added. In version 1, codec_libraries contained only build ids. In version 2, drift, placement_spread and "
       "ci_confidence were fractions of 1, limit_percent had the name percent_of_limit, and the figures were computed from all "
       "samples. In version 3, the value avx512 of dispatch meant today's avx512-gfni for the plugins simd and klauspost.",
       [](const Row&) -> Json { return row_schema_version; }},
      {"host", nullable(text()),
       "The name of the host. If it contains the name of a user, USER replaces the user's name. null: unknown.",
       [](const Row& row) -> Json { return known(row.host); }},
      {"date",
       Json::parse(R"({"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"})"),
       "The time when the measurement began, in UTC (ISO 8601).", [](const Row& row) -> Json { return known(row.date); }},
      {"plugin", text(), "The plugin that made the code. Its file is libec_<plugin>.so.",
       [](const Row& row) -> Json { return row.measurement.point.plugin; }, always(3, "plugin")},
      {"profile", Json::parse(R"({"type": "object", "additionalProperties": {"type": "string"}})"),
       "The parameters with which the code was made. Parameters that were not given have their default values. All values are "
       "text.",
       [](const Row& row) -> Json { return row.measurement.point.profile.values(); }},
      {"workload", text(1), "The workload that was timed: encode, decode, repair, overwrite, scrub, limit or memcpy.",
       [](const Row& row) -> Json { return row.measurement.point.workload; }, always(6, "work.")},
      {"k", whole(1), "Number of data chunks.", [](const Row& row) -> Json { return row.measurement.data_chunk_count; },
       always(4, "k")},
      {"m", whole(), "Number of coding chunks: chunk_count - k.", [](const Row& row) -> Json { return coding_chunks(row); },
       always(5, "m")},
      {"chunk_count", whole(1), "Number of all chunks, n.", [](const Row& row) -> Json { return row.measurement.chunk_count; }},
      {"size", whole(1), "Bytes of the object, without padding. gb_per_s does not count padding.",
       [](const Row& row) -> Json { return row.measurement.point.size_bytes; }, always(8, "size")},
      {"stripe_unit", nullable(whole(1)), "Bytes of a chunk in each stripe; null: the object is encoded as one stripe.",
       [](const Row& row) -> Json {
         return known(row.measurement.point.stripe_unit_bytes != 0, row.measurement.point.stripe_unit_bytes);
       }},
      {"chunk_size", whole(1), "Bytes of a chunk in one stripe, with padding.",
       [](const Row& row) -> Json { return row.measurement.chunk_size_bytes; }},
      {"padding_percent", amount(), "Padding in percent of the object size: 100 * (k * chunk_size * stripes / size - 1).",
       [](const Row& row) -> Json {
         return padding_percent(row.measurement.point.size_bytes, row.measurement.data_chunk_count,
                                row.measurement.chunk_size_bytes);
       }},
      {"sub_chunk_count", whole(1),
       "Number of sub-chunks of a chunk, which can be read separately. It is 1, except for array codes such as clay.",
       [](const Row& row) -> Json { return row.measurement.sub_chunk_count; }},
      {"erasures", whole(),
       "Number of chunks that are lost at the same time: the requested number for decode, 1 for repair, 0 for other workloads.",
       [](const Row& row) -> Json { return row.measurement.point.erasures; }, always(9, "eras.")},
      {"erased", Json::parse(R"({"type": "array", "items": {"type": "integer", "minimum": 0}, "uniqueItems": true})"),
       "The positions of the lost chunks, if the user gave them. Empty: for decode, erasures_generation selects patterns of "
       "`erasures` lost chunks; for repair, each chunk is lost in turn.",
       [](const Row& row) -> Json { return row.measurement.point.erased; }},
      {"erasures_generation", one_of({"random", "exhaustive"}),
       "random: the erasure patterns are random and depend on seed. exhaustive: each iteration uses all erasure patterns. This key "
       "has a meaning only for decode, and only if erased is empty.",
       [](const Row& row) -> Json {
         return row.measurement.point.generation == ErasureGeneration::exhaustive ? "exhaustive" : "random";
       }},
      {"want", one_of({"all", "data"}),
       "The chunks that decode rebuilds: all lost chunks, or only the lost data chunks. This key has no meaning for other "
       "workloads.",
       [](const Row& row) -> Json { return row.measurement.point.want == Want::data ? "data" : "all"; }},
      {"patterns", whole(), "Number of different erasure patterns, which are used in turn; 0 for workloads without lost chunks.",
       [](const Row& row) -> Json { return row.measurement.patterns; }},
      {"unrecoverable", whole(), "Number of erasure patterns that were left out because the code cannot recover them.",
       [](const Row& row) -> Json { return row.measurement.unrecoverable; }},
      {"reads", read_sets(),
       "The reads of a repair of the chunk in erased: {position: [[first sub-chunk, number of sub-chunks], ...]}. null for other "
       "workloads than repair, and if each chunk was lost in turn.",
       [](const Row& row) -> Json {
         return repairs(row) && !row.measurement.point.erased.empty() ? reads_json(row.measurement.repairs.front().reads) : Json();
       }},
      {"chunks_read", nullable(amount()),
       "Number of chunks that a repair reads completely or in part. If each chunk was lost in turn, this key and the next three "
       "keys contain means over these chunks. All four keys are null for other workloads than repair.",
       [](const Row& row) -> Json { return known(repairs(row), reads_of(row).chunks_read); }, if_known(18, "chunks read", 2)},
      {"drive_factor", nullable(amount()), "Bytes that a repair reads / bytes of the lost chunk.",
       [](const Row& row) -> Json { return known(repairs(row), reads_of(row).drive_factor); }, if_known(19, "drive", 3)},
      {"network_factor", nullable(amount()),
       "Bytes that a repair sends over the network / bytes of the lost chunk. As in Ceph, the primary is the OSD of the first "
       "chunk that is not lost. It receives the bytes of the helpers, except those of its own chunk, and sends the rebuilt chunk.",
       [](const Row& row) -> Json { return known(repairs(row), reads_of(row).network_factor); }, if_known(20, "network", 3)},
      {"reads_per_helper", nullable(amount()), "Mean number of contiguous reads from one helper.",
       [](const Row& row) -> Json { return known(repairs(row), reads_of(row).reads_per_helper); }, if_known(21, "reads/helper", 1)},
      {"changed", nullable(whole(1)), "Number of data chunks that each overwrite changes; null for other workloads.",
       [](const Row& row) -> Json { return known(overwrites(row), row.measurement.point.changed_chunks); },
       if_known(22, "changed", 0, "overwrite: changed data chunks; `GB/s` and `KB` count only them")},
      {"delta_reads", nullable(whole()),
       "Number of chunks that a storage system reads for this overwrite by parity delta: the changed chunks and all coding chunks. "
       "This key and the next three keys are null for other workloads.",
       [](const Row& row) -> Json { return known(overwrites(row), cost_of(row).by_delta.reads); }},
      {"delta_writes", nullable(whole()),
       "Number of chunks that a storage system writes for this overwrite by parity delta: the changed chunks and all coding "
       "chunks.",
       [](const Row& row) -> Json { return known(overwrites(row), cost_of(row).by_delta.writes); }},
      {"reencoding_reads", nullable(whole()),
       "Number of chunks that a storage system reads for this overwrite by re-encoding: the data chunks that do not change.",
       [](const Row& row) -> Json { return known(overwrites(row), cost_of(row).by_reencoding.reads); }},
      {"reencoding_writes", nullable(whole()),
       "Number of chunks that a storage system writes for this overwrite by re-encoding: the changed chunks and all coding chunks.",
       [](const Row& row) -> Json { return known(overwrites(row), cost_of(row).by_reencoding.writes); }},
      {"timing", one_of({"kernel", "api"}),
       "kernel: only the calls of the erasure code were timed; buffers and decode plans already existed. api: the work that Ceph "
       "does for each call was also timed, such as allocation, padding and making tables.",
       [](const Row& row) -> Json { return row.measurement.point.timing == Timing::api ? "api" : "kernel"; }},
      {"cache", one_of({"warm", "cold"}),
       "warm: each call used the same chunks, which were in the cache if they fit into it. cold: each call used another object of "
       "a pool that is larger than the caches, so the object was in memory.",
       [](const Row& row) -> Json { return is_cold(row) ? "cold" : "warm"; }},
      {"pool_bytes", nullable(whole()), "If cache is cold: the size of the pool of each thread, in bytes. null if cache is warm.",
       [](const Row& row) -> Json { return known(is_cold(row), row.measurement.pool_bytes); }},
      {"threads", whole(1), "Number of threads. The threads start each sample at the same time. Each thread has its own objects.",
       [](const Row& row) -> Json { return row.measurement.point.threads; }},
      {"cpus", list_of(whole()),
       "CPU numbers. Thread i ran on the CPU cpus[i modulo the length of this list]. Empty: the operating system chose the CPUs.",
       [](const Row& row) -> Json { return row.measurement.point.cpus; }},
      {"pace", nullable(amount()),
       "Operations per second that were due, in all threads together. The speed then follows from this number, unless "
       "pace_not_kept is among the warnings. null: each operation started when the previous one had ended.",
       [](const Row& row) -> Json {
         const std::optional<Paced>& paced = row.measurement.paced;
         return known(paced.has_value(), paced ? paced->operations_per_s : 0);
       }},
      {"background", nullable(text(1)),
       "The workload that ran at the same time, and its limit in bytes per second: repair@52428800; null: none.",
       [](const Row& row) -> Json {
         const std::optional<Background>& background = row.measurement.point.background;
         return known(background.has_value(), background ? text_of(*background) : "");
       }},
      {"dispatch", text(), "The requested dispatch level: scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon or native.",
       [](const Row& row) -> Json { return row.measurement.point.dispatch; }},
      {"kernel", text(), "The kernels that ran; empty if the plugin does not know them.",
       [](const Row& row) -> Json { return row.measurement.kernel; }},
      {"codec_lib", nullable(text(1)),
       "The directory of --codec-lib. Its codec libraries were used instead of the system's libraries. ~ replaces the home "
       "directory. null: --codec-lib was not given.",
       [](const Row& row) -> Json {
         return known(has_own_codecs(row), publishable(row.measurement.point.codec_lib, private_names()));
       }},
      {"codec_libraries", libraries(),
       "The libraries that were loaded from codec_lib. The key is the name by which the plugin loads the library. null if "
       "codec_lib is null. ecbench --environment prints the system's libraries. In csv, this value is one cell: "
       "libisal.so.2.path=...;libisal.so.2.version=...",
       [](const Row& row) -> Json { return known(has_own_codecs(row), codec_libraries_json(row.codec_libraries)); }},
      {"fill", Json::parse(R"({"type": ["integer", "null"], "minimum": 0, "maximum": 255})"),
       "The value of each byte of the object. null: the object has pseudo-random bytes, which depend on seed, or the bytes of a "
       "file that is named in command.",
       [](const Row& row) -> Json { return known(row.measurement.point.fill); }},
      {"seed", whole(), "Seed of the object's pseudo-random bytes, and of the random choice of erasure patterns.",
       [](const Row& row) -> Json { return row.measurement.point.seed; }},
  };
}

std::vector<Column> table_columns() {
  return {
      {.value = [](const Row& row) { return parameter(row, "technique"); }, .table = always(10, "technique")},
      {.value = [](const Row& row) { return parameter(row, "w"); }, .table = always(11, "w")},
      {.value = [](const Row& row) { return parameter(row, "packetsize"); }, .table = always(12, "packetsize")},
      {.value = [](const Row& row) { return accesses(row, cost_of(row).by_delta); },
       .table = if_known(23, "delta reads+writes", 0, "overwrite: chunks that a store reads and writes for a parity delta")},
      {.value = [](const Row& row) { return accesses(row, cost_of(row).by_reencoding); },
       .table = if_known(24, "re-encoding reads+writes")},
      {.value = [](const Row& row) -> Json { return row.command; },
       .table = {.place = 30,
                 .title = "command.",
                 .brief = "command that measures the row again (not on a terminal)",
                 .output = Output::pipe}},
      {.value = [](const Row& row) -> Json {
         return 12.5 * (row.summary.cpu_seconds_per_gb + row.measurement.crc32c_seconds_per_gb.value_or(0));
       },
       .table = {.place = 31,
                 .title = "cores/100G",
                 .brief = "on a terminal: cores for 100 Gbit/s; encode: with the CRC32C of all chunks",
                 .decimals = 2,
                 .output = Output::terminal}},
      {.value = [](const Row& row) -> Json {
         const double code = row.summary.cpu_seconds_per_gb;
         const std::optional<double>& crc32c = row.measurement.crc32c_seconds_per_gb;
         return known(crc32c.has_value(), 100 * code / (code + crc32c.value_or(0)));
       },
       .table = {.place = 32, .title = "%code", .brief = "on a terminal: the code's share", .output = Output::terminal}},
  };
}

}  // namespace ecbench
