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
      {.name = "schema_version",
       .type = Json{{"const", row_schema_version}},
       .meaning =
           "The version of this format. It changes if a key is removed, or if the meaning of a key changes. It does not change if "
           "a key is added. In version 1, codec_libraries contained only build ids. In version 2, drift, placement_spread and "
           "ci_confidence were fractions of 1, limit_percent had the name percent_of_limit, and the figures were computed from all "
           "samples. In version 3, the value avx512 of dispatch meant today's avx512-gfni for the plugins simd and klauspost.",
       .value = [](const Row&) -> Json { return row_schema_version; }},
      {.name = "host",
       .type = nullable(text()),
       .meaning = "The name of the host. If it contains the name of a user, USER replaces the user's name. null: unknown.",
       .value = [](const Row& row) -> Json { return known(row.host); }},
      {.name = "date",
       .type =
           Json::parse(R"({"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"})"),
       .meaning = "The time when the measurement began, in UTC (ISO 8601).",
       .value = [](const Row& row) -> Json { return known(row.date); }},
      {.name = "plugin",
       .type = text(),
       .meaning = "The plugin that made the code. Its file is libec_<plugin>.so.",
       .value = [](const Row& row) -> Json { return row.measurement.point.plugin; },
       .table = {.place = 3, .title = "plugin"}},
      {.name = "profile",
       .type = Json::parse(R"({"type": "object", "additionalProperties": {"type": "string"}})"),
       .meaning = "The parameters with which the code was made. Parameters that were not given have their default values. All "
                  "values are text.",
       .value = [](const Row& row) -> Json { return row.measurement.point.profile.values(); }},
      {.name = "workload",
       .type = text(1),
       .meaning = "The workload that was timed: encode, decode, repair, overwrite, scrub, limit or memcpy.",
       .value = [](const Row& row) -> Json { return row.measurement.point.workload; },
       .table = {.place = 6, .title = "work."}},
      {.name = "k",
       .type = whole(1),
       .meaning = "Number of data chunks.",
       .value = [](const Row& row) -> Json { return row.measurement.data_chunk_count; },
       .table = {.place = 4, .title = "k"}},
      {.name = "m",
       .type = whole(),
       .meaning = "Number of coding chunks: chunk_count - k.",
       .value = [](const Row& row) -> Json { return coding_chunks(row); },
       .table = {.place = 5, .title = "m"}},
      {.name = "chunk_count",
       .type = whole(1),
       .meaning = "Number of all chunks, n.",
       .value = [](const Row& row) -> Json { return row.measurement.chunk_count; }},
      {.name = "size",
       .type = whole(1),
       .meaning = "Bytes of the object, without padding. gb_per_s does not count padding.",
       .value = [](const Row& row) -> Json { return row.measurement.point.size_bytes; },
       .table = {.place = 8, .title = "size"}},
      {.name = "stripe_unit",
       .type = nullable(whole(1)),
       .meaning = "Bytes of a chunk in each stripe; null: the object is encoded as one stripe.",
       .value = [](const Row& row) -> Json {
         return known(row.measurement.point.stripe_unit_bytes != 0, row.measurement.point.stripe_unit_bytes);
       }},
      {.name = "chunk_size",
       .type = whole(1),
       .meaning = "Bytes of a chunk in one stripe, with padding.",
       .value = [](const Row& row) -> Json { return row.measurement.chunk_size_bytes; }},
      {.name = "padding_percent",
       .type = amount(),
       .meaning = "Padding in percent of the object size: 100 * (k * chunk_size * stripes / size - 1).",
       .value = [](const Row& row) -> Json {
         return padding_percent(row.measurement.point.size_bytes, row.measurement.data_chunk_count,
                                row.measurement.chunk_size_bytes);
       }},
      {.name = "sub_chunk_count",
       .type = whole(1),
       .meaning = "Number of sub-chunks of a chunk, which can be read separately. It is 1, except for array codes such as clay.",
       .value = [](const Row& row) -> Json { return row.measurement.sub_chunk_count; }},
      {.name = "erasures",
       .type = whole(),
       .meaning =
           "Number of chunks that are lost at the same time: the requested number for decode, 1 for repair, 0 for other workloads.",
       .value = [](const Row& row) -> Json { return row.measurement.point.erasures; },
       .table = {.place = 9, .title = "eras."}},
      {.name = "erased",
       .type = Json::parse(R"({"type": "array", "items": {"type": "integer", "minimum": 0}, "uniqueItems": true})"),
       .meaning = "The positions of the lost chunks, if the user gave them. Empty: for decode, erasures_generation selects "
                  "patterns of `erasures` lost chunks; for repair, each chunk is lost in turn.",
       .value = [](const Row& row) -> Json { return row.measurement.point.erased; }},
      {.name = "erasures_generation",
       .type = one_of({"random", "exhaustive"}),
       .meaning = "random: the erasure patterns are random and depend on seed. exhaustive: each iteration uses all erasure "
                  "patterns. This key has a meaning only for decode, and only if erased is empty.",
       .value = [](const Row& row) -> Json {
         return row.measurement.point.generation == ErasureGeneration::exhaustive ? "exhaustive" : "random";
       }},
      {.name = "want",
       .type = one_of({"all", "data"}),
       .meaning = "The chunks that decode rebuilds: all lost chunks, or only the lost data chunks. This key has no meaning for "
                  "other workloads.",
       .value = [](const Row& row) -> Json { return row.measurement.point.want == Want::data ? "data" : "all"; }},
      {.name = "patterns",
       .type = whole(),
       .meaning = "Number of different erasure patterns, which are used in turn; 0 for workloads without lost chunks.",
       .value = [](const Row& row) -> Json { return row.measurement.patterns; }},
      {.name = "unrecoverable",
       .type = whole(),
       .meaning = "Number of erasure patterns that were left out because the code cannot recover them.",
       .value = [](const Row& row) -> Json { return row.measurement.unrecoverable; }},
      {.name = "reads",
       .type = read_sets(),
       .meaning = "The reads of a repair of the chunk in erased: {position: [[first sub-chunk, number of sub-chunks], ...]}. null "
                  "for other workloads than repair, and if each chunk was lost in turn.",
       .value = [](const Row& row) -> Json {
         return repairs(row) && !row.measurement.point.erased.empty() ? reads_json(row.measurement.repairs.front().reads) : Json();
       }},
      {.name = "chunks_read",
       .type = nullable(amount()),
       .meaning = "Number of chunks that a repair reads completely or in part. If each chunk was lost in turn, this key and the "
                  "next three keys contain means over these chunks. All four keys are null for other workloads than repair.",
       .value = [](const Row& row) -> Json { return known(repairs(row), reads_of(row).chunks_read); },
       .table = {.place = 18, .title = "chunks read", .decimals = 2, .only_if_known = true}},
      {.name = "drive_factor",
       .type = nullable(amount()),
       .meaning = "Bytes that a repair reads / bytes of the lost chunk.",
       .value = [](const Row& row) -> Json { return known(repairs(row), reads_of(row).drive_factor); },
       .table = {.place = 19, .title = "drive", .decimals = 3, .only_if_known = true}},
      {.name = "network_factor",
       .type = nullable(amount()),
       .meaning = "Bytes that a repair sends over the network / bytes of the lost chunk. As in Ceph, the primary is the OSD of the "
                  "first chunk that is not lost. It receives the bytes of the helpers, except those of its own chunk, and sends "
                  "the rebuilt chunk.",
       .value = [](const Row& row) -> Json { return known(repairs(row), reads_of(row).network_factor); },
       .table = {.place = 20, .title = "network", .decimals = 3, .only_if_known = true}},
      {.name = "reads_per_helper",
       .type = nullable(amount()),
       .meaning = "Mean number of contiguous reads from one helper.",
       .value = [](const Row& row) -> Json { return known(repairs(row), reads_of(row).reads_per_helper); },
       .table = {.place = 21, .title = "reads/helper", .decimals = 1, .only_if_known = true}},
      {.name = "changed",
       .type = nullable(whole(1)),
       .meaning = "Number of data chunks that each overwrite changes; null for other workloads.",
       .value = [](const Row& row) -> Json { return known(overwrites(row), row.measurement.point.changed_chunks); },
       .table = {.place = 22,
                 .title = "changed",
                 .brief = "overwrite: changed data chunks; `GB/s` and `KB` count only them",
                 .only_if_known = true}},
      {.name = "delta_reads",
       .type = nullable(whole()),
       .meaning = "Number of chunks that a storage system reads for this overwrite by parity delta: the changed chunks and all "
                  "coding chunks. This key and the next three keys are null for other workloads.",
       .value = [](const Row& row) -> Json { return known(overwrites(row), cost_of(row).by_delta.reads); }},
      {.name = "delta_writes",
       .type = nullable(whole()),
       .meaning = "Number of chunks that a storage system writes for this overwrite by parity delta: the changed chunks and all "
                  "coding chunks.",
       .value = [](const Row& row) -> Json { return known(overwrites(row), cost_of(row).by_delta.writes); }},
      {.name = "reencoding_reads",
       .type = nullable(whole()),
       .meaning =
           "Number of chunks that a storage system reads for this overwrite by re-encoding: the data chunks that do not change.",
       .value = [](const Row& row) -> Json { return known(overwrites(row), cost_of(row).by_reencoding.reads); }},
      {.name = "reencoding_writes",
       .type = nullable(whole()),
       .meaning = "Number of chunks that a storage system writes for this overwrite by re-encoding: the changed chunks and all "
                  "coding chunks.",
       .value = [](const Row& row) -> Json { return known(overwrites(row), cost_of(row).by_reencoding.writes); }},
      {.name = "timing",
       .type = one_of({"kernel", "api"}),
       .meaning = "kernel: only the calls of the erasure code were timed; buffers and decode plans already existed. api: the work "
                  "that Ceph does for each call was also timed, such as allocation, padding and making tables.",
       .value = [](const Row& row) -> Json { return row.measurement.point.timing == Timing::api ? "api" : "kernel"; }},
      {.name = "cache",
       .type = one_of({"warm", "cold"}),
       .meaning = "warm: each call used the same chunks, which were in the cache if they fit into it. cold: each call used another "
                  "object of a pool that is larger than the caches, so the object was in memory.",
       .value = [](const Row& row) -> Json { return is_cold(row) ? "cold" : "warm"; }},
      {.name = "pool_bytes",
       .type = nullable(whole()),
       .meaning = "If cache is cold: the size of the pool of each thread, in bytes. null if cache is warm.",
       .value = [](const Row& row) -> Json { return known(is_cold(row), row.measurement.pool_bytes); }},
      {.name = "threads",
       .type = whole(1),
       .meaning = "Number of threads. The threads start each sample at the same time. Each thread has its own objects.",
       .value = [](const Row& row) -> Json { return row.measurement.point.threads; }},
      {.name = "cpus",
       .type = list_of(whole()),
       .meaning = "CPU numbers. Thread i ran on the CPU cpus[i modulo the length of this list]. Empty: the operating system chose "
                  "the CPUs.",
       .value = [](const Row& row) -> Json { return row.measurement.point.cpus; }},
      {.name = "pace",
       .type = nullable(amount()),
       .meaning = "Operations per second that were due, in all threads together. The speed then follows from this number, unless "
                  "pace_not_kept is among the warnings. null: each operation started when the previous one had ended.",
       .value = [](const Row& row) -> Json {
         const std::optional<Paced>& paced = row.measurement.paced;
         return known(paced.has_value(), paced ? paced->operations_per_s : 0);
       }},
      {.name = "background",
       .type = nullable(text(1)),
       .meaning = "The workload that ran at the same time, and its limit in bytes per second: repair@52428800; null: none.",
       .value = [](const Row& row) -> Json {
         const std::optional<Background>& background = row.measurement.point.background;
         return known(background.has_value(), background ? text_of(*background) : "");
       }},
      {.name = "dispatch",
       .type = text(),
       .meaning = "The requested dispatch level: scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon or native.",
       .value = [](const Row& row) -> Json { return row.measurement.point.dispatch; }},
      {.name = "kernel",
       .type = text(),
       .meaning = "The kernels that ran; empty if the plugin does not know them.",
       .value = [](const Row& row) -> Json { return row.measurement.kernel; }},
      {.name = "codec_lib",
       .type = nullable(text(1)),
       .meaning = "The directory of --codec-lib. Its codec libraries were used instead of the system's libraries. ~ replaces the "
                  "home directory. null: --codec-lib was not given.",
       .value = [](const Row& row) -> Json {
         return known(has_own_codecs(row), publishable(row.measurement.point.codec_lib, private_names()));
       }},
      {.name = "codec_libraries",
       .type = libraries(),
       .meaning = "The libraries that were loaded from codec_lib. The key is the name by which the plugin loads the library. null "
                  "if codec_lib is null. ecbench --environment prints the system's libraries. In csv, this value is one cell: "
                  "libisal.so.2.path=...;libisal.so.2.version=...",
       .value = [](const Row& row) -> Json { return known(has_own_codecs(row), codec_libraries_json(row.codec_libraries)); }},
      {.name = "fill",
       .type = Json::parse(R"({"type": ["integer", "null"], "minimum": 0, "maximum": 255})"),
       .meaning = "The value of each byte of the object. null: the object has pseudo-random bytes, which depend on seed, or the "
                  "bytes of a file that is named in command.",
       .value = [](const Row& row) -> Json { return known(row.measurement.point.fill); }},
      {.name = "seed",
       .type = whole(),
       .meaning = "Seed of the object's pseudo-random bytes, and of the random choice of erasure patterns.",
       .value = [](const Row& row) -> Json { return row.measurement.point.seed; }},
  };
}

std::vector<Column> table_columns() {
  return {
      {.value = [](const Row& row) { return parameter(row, "technique"); }, .table = {.place = 10, .title = "technique"}},
      {.value = [](const Row& row) { return parameter(row, "w"); }, .table = {.place = 11, .title = "w"}},
      {.value = [](const Row& row) { return parameter(row, "packetsize"); }, .table = {.place = 12, .title = "packetsize"}},
      {.value = [](const Row& row) { return accesses(row, cost_of(row).by_delta); },
       .table = {.place = 23,
                 .title = "delta reads+writes",
                 .brief = "overwrite: chunks that a store reads and writes for a parity delta",
                 .only_if_known = true}},
      {.value = [](const Row& row) { return accesses(row, cost_of(row).by_reencoding); },
       .table = {.place = 24, .title = "re-encoding reads+writes", .only_if_known = true}},
      {.value = [](const Row& row) -> Json { return row.command; },
       .table = {.place = 30,
                 .title = "command.",
                 .brief = "command that measures the row again (not on a terminal)",
                 .output = Output::pipe}},
      {.value = [](const Row& row) -> Json { return 12.5 * row.summary.cpu_seconds_per_gb; },
       .table = {.place = 31,
                 .title = "cores/100G",
                 .brief = "on a terminal: cores for 100 Gbit/s",
                 .decimals = 2,
                 .output = Output::terminal}},
  };
}

}  // namespace ecbench
