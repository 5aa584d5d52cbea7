#include "files/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <streambuf>
#include <system_error>
#include <utility>

#include "warpline/error.h"

namespace warpline::files {

namespace {

namespace fs = std::filesystem;

int open_file(const fs::path& path, int flags) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): POSIX has it so
  return ::open(path.c_str(), flags | O_CLOEXEC, 0666);
}

/// What a path leads to, if it is a link: also where there is nothing yet.
fs::path behind_links(fs::path path) {
  constexpr int most = 40;  // as Linux has it
  std::error_code error;
  for (int links = 0; links < most && fs::is_symlink(path, error); ++links) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

/// In /dev are names of what is open already, which may be a plain file.
bool is_written_in_place(const fs::path& path, const fs::path& target) {
  std::error_code error;
  const fs::file_type type = fs::status(target, error).type();
  return path.string().starts_with("/dev/") ||
         (type != fs::file_type::regular && type != fs::file_type::not_found);
}

/// The new name is in the folder, which has to reach the disk as well. Where folders cannot be
/// flushed the old file may come back after a crash, which is no harm.
void flush_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (const int opened = open_file(folder, O_RDONLY | O_DIRECTORY); opened >= 0) {
    ::fsync(opened);
    ::close(opened);
  }
}

}  // namespace

/// A stream's other side, which remembers why it failed. (Of std::ofstream only errno may know.)
class NewFile::Descriptor : public std::streambuf {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  ~Descriptor() override {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// errno of what failed first; 0 if nothing has.
  int error() const { return error_; }

  /// Writes what is left and closes; some file systems say only then that they are full.
  void close(Flush flush) {
    drain();
    if (error_ == 0 && flush == Flush::to_disk && ::fsync(descriptor_) != 0 && errno != EINVAL) {
      error_ = errno;  // EINVAL: a pipe, which has no disk
    }
    if (::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) {
      error_ = errno;
    }
  }

 protected:
  int_type overflow(int_type c) override {
    if (!drain()) {
      return traits_type::eof();
    }
    if (!traits_type::eq_int_type(c, traits_type::eof())) {
      sputc(traits_type::to_char_type(c));
    }
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    if (count <= epptr() - pptr()) {
      return std::streambuf::xsputn(text, count);
    }
    return drain() && write(text, static_cast<std::size_t>(count)) ? count : 0;
  }
  int sync() override { return drain() ? 0 : -1; }

 private:
  bool drain() {
    const bool written = write(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return written;
  }
  bool write(const char* text, std::size_t count) {
    while (error_ == 0 && count > 0) {
      const ssize_t done = ::write(descriptor_, text, count);
      if (done >= 0) {
        text += done;
        count -= static_cast<std::size_t>(done);
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    return error_ == 0;
  }

  int descriptor_;
  int error_ = 0;
  std::array<char, 1 << 16> buffer_;
};

NewFile::NewFile(const fs::path& path, const std::string& complaint)
    : complaint_(complaint.empty() ? "cannot write '" + path.string() + "'" : complaint),
      target_(behind_links(path)) {
  int opened = -1;
  std::error_code error;
  if (path.empty()) {
    fail(ENOENT);
  } else if (fs::is_directory(target_, error)) {
    fail(EISDIR);
  } else if (is_written_in_place(path, target_)) {
    opened = open_file(path, O_WRONLY | O_APPEND);
  } else {
    // Names that nobody else has: two processes may write the same file.
    for (int attempt = 0; opened < 0 && (attempt == 0 || errno == EEXIST); ++attempt) {
      draft_ = target_;
      draft_ += "." + std::to_string(::getpid()) + "." + std::to_string(attempt) + ".part";
      opened = open_file(draft_, O_WRONLY | O_CREAT | O_EXCL);
    }
  }
  if (opened < 0) {
    draft_.clear();
    fail(errno);
  }
  struct stat before {};
  if (!draft_.empty() && ::stat(target_.c_str(), &before) == 0) {
    ::fchmod(opened, before.st_mode & 07777);  // that of another user cannot be kept
  }
  descriptor_ = std::make_unique<Descriptor>(opened);
  stream_ = std::make_unique<std::ostream>(descriptor_.get());
}

NewFile::~NewFile() {
  if (!draft_.empty()) {
    ::unlink(draft_.c_str());
  }
}

std::ostream& NewFile::stream() { return *stream_; }

void NewFile::finish(Flush flush) {
  descriptor_->close(flush);
  if (descriptor_->error() != 0) {
    fail(descriptor_->error());
  }
  if (draft_.empty()) {
    return;
  }
  if (::rename(draft_.c_str(), target_.c_str()) != 0) {
    fail(errno);
  }
  draft_.clear();
  if (flush == Flush::to_disk) {
    flush_folder(target_);
  }
}

void NewFile::fail(int error) const {
  throw Error(complaint_ + ": " + std::generic_category().message(error));
}

}  // namespace warpline::files
