#include "benchmark/codec_libraries/elf_facts.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

namespace ecbench {
namespace {

/// `elf` is null if the file is no ELF file. O_NONBLOCK: open() of a FIFO would wait for a writer.
struct ElfFile {
  explicit ElfFile(const std::filesystem::path& path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    elf_version(EV_CURRENT);
    struct stat status {};
    const bool is_file = descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    if (is_file) elf.reset(elf_begin(descriptor, ELF_C_READ_MMAP, nullptr));
    if (elf && elf_kind(elf.get()) != ELF_K_ELF) elf.reset();
  }
  ~ElfFile() {
    elf.reset();
    if (descriptor >= 0) close(descriptor);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  int descriptor;
  std::unique_ptr<Elf, int (*)(Elf*)> elf{nullptr, elf_end};
};

struct Section {
  Elf_Scn* section;
  GElf_Shdr header;
  std::string name;
};

std::vector<Section> sections_of(Elf* elf) {
  std::vector<Section> sections;
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return sections;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    sections.push_back({section, header, name == nullptr ? "" : name});
  }
  return sections;
}

void read_dynamic(Elf* elf, const Section& dynamic, ElfFacts& facts) {
  Elf_Data* data = elf_getdata(dynamic.section, nullptr);
  if (data == nullptr || dynamic.header.sh_entsize == 0) return;
  const auto count = static_cast<int>(dynamic.header.sh_size / dynamic.header.sh_entsize);
  for (int i = 0; i < count; i++) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr || (entry.d_tag != DT_SONAME && entry.d_tag != DT_NEEDED)) continue;
    const char* text = elf_strptr(elf, dynamic.header.sh_link, entry.d_un.d_val);
    if (text == nullptr) continue;
    if (entry.d_tag == DT_SONAME) facts.soname = text;
    if (entry.d_tag == DT_NEEDED) facts.needed.emplace_back(text);
  }
}

}  // namespace

std::optional<ElfFacts> read_elf_facts(const std::filesystem::path& path) {
  const ElfFile file(path);
  if (!file.elf) return std::nullopt;
  ElfFacts facts;
  for (const Section& section : sections_of(file.elf.get())) {
    if (section.header.sh_type == SHT_DYNAMIC) read_dynamic(file.elf.get(), section, facts);
    if (section.name == ".debug_info") facts.debug_info = true;
  }
  return facts;
}

}  // namespace ecbench
