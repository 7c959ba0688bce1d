// append_line() adds only whole lines to a run file, even if the disk is full. It refuses a file whose last line is incomplete.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "report/reporter.h"
#include "test/temporary.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

class Append : public testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(path) << text; }
  std::string content() const { return test::content_of(path); }
  /// The error message of append_line(), or "" if append_line() succeeds. If `foreseen` is true, checks that require_appendable()
  /// reports the same error.
  std::string refusal(const std::string& line, bool foreseen = true) const {
    const std::string message = test::message_of([&] { append_line(path, line); });
    if (foreseen) {
      EXPECT_EQ(test::message_of([&] { require_appendable(path); }), message);
    }
    return message;
  }

  test::TemporaryFolder folder;
  fs::path path = folder / "run.jsonl";
};

/// Limits the size of the files that this process writes. This simulates a disk that becomes full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t size_bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{size_bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(Append, MakesTheFileAndAddsALineEachTime) {
  EXPECT_NO_THROW(require_appendable(path));
  EXPECT_FALSE(fs::exists(path)) << "require_appendable() has created the file";
  append_line(path, "one");
  append_line(path, "two");
  EXPECT_EQ(content(), "one\ntwo\n");
}

TEST_F(Append, WritesNoPartOfALineThatDoesNotFit) {
  write("a whole line\n");
  std::string part;
  std::string none;
  {
    const FileSizeLimit limit(20);
    part = refusal(std::string(100, 'x'), false);
  }
  EXPECT_EQ(content(), "a whole line\n");
  {
    const FileSizeLimit limit(13);  // the file has 13 bytes; one more byte causes SIGXFSZ, which must not end the process
    none = refusal("x", false);
  }
  EXPECT_EQ(content(), "a whole line\n");
  EXPECT_NE(part.find(path.string()), std::string::npos) << part;
  EXPECT_NE(part.find("7 of 101 bytes"), std::string::npos) << part;
  EXPECT_NE(none.find("too large"), std::string::npos) << none;
  append_line(path, "x");
  EXPECT_EQ(content(), "a whole line\nx\n");
}

TEST_F(Append, LeavesANewFileEmptyIfTheLineDoesNotFit) {
  {
    const FileSizeLimit limit(3);
    EXPECT_NE(refusal("longer than that", false), "");
  }
  EXPECT_EQ(content(), "");
}

TEST_F(Append, KeepsTheSignalOfFilesThatGrowTooLarge) {
  struct sigaction before {};
  sigaction(SIGXFSZ, nullptr, &before);
  append_line(path, "x");
  struct sigaction after {};
  sigaction(SIGXFSZ, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST_F(Append, RefusesToAppendToAnIncompleteLine) {
  write("whole\n{\"torn");
  EXPECT_NE(refusal("next").find("newline"), std::string::npos);
  EXPECT_EQ(content(), "whole\n{\"torn");
}

TEST_F(Append, RefusesFilesThatAreNotRegular) {
  fs::create_directory(path);
  EXPECT_NE(refusal("x").find("directory"), std::string::npos);
  path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(refusal("x").find("regular"), std::string::npos);
}

TEST_F(Append, RefusesADirectoryThatDoesNotExistOrAllowsNoFiles) {
  path = folder / "missing/run.jsonl";
  EXPECT_NE(refusal("x").find("No such file"), std::string::npos);
  path = "/proc/run.jsonl";  // not even root can create files here
  EXPECT_NE(refusal("x", false), "");
}

TEST_F(Append, RefusesFilesWithoutWritePermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  write("whole\n");
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_NE(refusal("x").find("denied"), std::string::npos);
  EXPECT_EQ(content(), "whole\n");
  path = folder / "new.jsonl";
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(refusal("x").find("denied"), std::string::npos);
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace ecbench
