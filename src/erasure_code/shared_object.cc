#include "erasure_code/shared_object.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

struct FileDescriptor {
  int number;
  ~FileDescriptor() {
    if (number >= 0) close(number);
  }
};

/// Opens a file for reading. If the file is a FIFO, open() without O_NONBLOCK would wait until another process opens the FIFO for
/// writing.
int open_file(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) return file;
  const int reason = errno;
  std::error_code not_a_link;
  const std::filesystem::path target = std::filesystem::read_symlink(path, not_a_link);
  if (reason == ENOENT && !not_a_link) throw Error(path.string() + " is a dangling link: " + target.string() + " does not exist");
  throw Error("cannot read " + path.string() + ": " + std::strerror(reason));
}

void add_defined_symbols(Elf_Scn* section, const GElf_Shdr& header, Elf* elf, std::set<std::string>& names) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
    if (const char* name = elf_strptr(elf, header.sh_link, symbol.st_name)) names.insert(name);
  }
}

}  // namespace

std::set<std::string> exported_symbols(const std::filesystem::path& path) {
  const FileDescriptor file{open_file(path)};
  struct stat status {};
  if (fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode)) throw Error(path.string() + " is not a file");
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(file.number, ELF_C_READ, nullptr), elf_end);
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr || header.e_type != ET_DYN) {
    throw Error(path.string() + " is not a shared object");
  }
  std::set<std::string> names;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr section_header;
    if (gelf_getshdr(section, &section_header) == nullptr || section_header.sh_type != SHT_DYNSYM) continue;
    add_defined_symbols(section, section_header, elf.get(), names);
  }
  return names;
}

}  // namespace ecbench
