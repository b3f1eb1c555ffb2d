// SPDX-License-Identifier: Apache-2.0
#include "matrix/archive.h"

#include "base/interruption.h"
#include "base/printable.h"
#include "base/shell.h"
#include "matrix/convert.h"
#include "matrix/file_names.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace sparserl {
namespace {

constexpr std::size_t mostEntries = 10000;

struct CloseArchive
{
    void operator()(struct archive* a) const { ::archive_read_free(a); }
};
using Reader = std::unique_ptr<struct archive, CloseArchive>;

tl::unexpected<Error> damaged(struct archive* a, const std::string& name)
{
    const char* reason = ::archive_error_string(a);
    return failAt(name, 0,
                  fmt::format("the archive is damaged or truncated ({})",
                              reason ? shortened(printableLine(reason), 200) : "no reason given"),
                  "Download or copy it again");
}

/// Only the kinds that matrices come in: each further one is code that reads foreign bytes.
Result<Reader> openReader(std::string_view bytes, Archive::Kind kind, const std::string& name)
{
    Reader reader(::archive_read_new());
    if (!reader)
        throw std::bad_alloc();
    int code = ARCHIVE_OK;
    if (kind == Archive::Kind::Zip) {
        code = ::archive_read_support_format_zip_seekable(reader.get());
    } else {
        ::archive_read_support_filter_gzip(reader.get());
        code = ::archive_read_support_format_tar(reader.get());
    }
    if (code < ARCHIVE_WARN ||
        ::archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) < ARCHIVE_WARN)
        return damaged(reader.get(), name);
    return reader;
}

/// The next entry, or null at the end. A warning (a name in another character set) is none here.
Result<struct archive_entry*> nextEntry(struct archive* reader, const std::string& name)
{
    struct archive_entry* entry = nullptr;
    const int code = ::archive_read_next_header(reader, &entry);
    if (code == ARCHIVE_EOF)
        return static_cast<struct archive_entry*>(nullptr);
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
        return damaged(reader, name);
    return entry;
}

std::string nameOf(struct archive_entry* entry)
{
    const char* name = ::archive_entry_pathname_utf8(entry);
    if (name == nullptr)
        name = ::archive_entry_pathname(entry);
    return name ? printableLine(name) : std::string("unnamed");
}

bool isFile(struct archive_entry* entry)
{
    return ::archive_entry_filetype(entry) == AE_IFREG && ::archive_entry_hardlink(entry) == nullptr;
}

/// What a member must be to be read.
Status checkMember(struct archive* reader, struct archive_entry* entry, Archive::Kind kind,
                   const std::string& name)
{
    if (::archive_entry_is_encrypted(entry) > 0)
        return failAt(name, 0, fmt::format("the archive's {} is encrypted", nameOf(entry)),
                      "Unpack it with its password and give the file in it");
    if (::archive_entry_sparse_count(entry) > 0)
        return failAt(name, 0, fmt::format("the archive's {} is stored with holes", nameOf(entry)),
                      "Unpack it and give the file in it");
    const char* format = ::archive_format_name(reader);
    const std::string_view method = format ? format : "";
    if (kind == Archive::Kind::Zip && method.find("(deflation)") == std::string_view::npos &&
        method.find("(uncompressed)") == std::string_view::npos)
        return failAt(
            name, 0,
            fmt::format("the archive's {} is compressed as {}", nameOf(entry), printableLine(method)),
            "Unpack it and give the file in it");
    return {};
}

/// Reads over the data of an entry, as far as it may: a gzip stream must be inflated to get beyond it.
Status passOver(struct archive* reader, std::uint64_t packed, std::uint64_t& expanded,
                const std::string& name, const CancelToken& cancel)
{
    for (;;) {
        const void* data = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        if (cancel.cancelled())
            return fail(interruption());
        const int code = ::archive_read_data_block(reader, &data, &size, &offset);
        if (code == ARCHIVE_EOF)
            return {};
        if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
            return damaged(reader, name);
        expanded += size;
        SPARSERL_CHECK(checkExpansion(packed, expanded, name));
    }
}

class MemberSource : public ByteSource
{
public:
    MemberSource(Reader reader, std::uint64_t packed, std::string name)
        : m_reader(std::move(reader))
        , m_packed(packed)
        , m_name(std::move(name))
    {
    }
    Result<std::size_t> read(char* into, std::size_t most) override
    {
        const la_ssize_t got = ::archive_read_data(m_reader.get(), into, most);
        if (got < 0)
            return damaged(m_reader.get(), m_name);
        m_given += static_cast<std::uint64_t>(got);
        SPARSERL_CHECK(checkExpansion(m_packed, m_given, m_name));
        return static_cast<std::size_t>(got);
    }
    double fraction() const override
    {
        const auto taken = static_cast<double>(::archive_filter_bytes(m_reader.get(), -1));
        return m_packed == 0 ? 1 : std::min(1.0, taken / static_cast<double>(m_packed));
    }

private:
    Reader m_reader;
    std::uint64_t m_packed = 0, m_given = 0;
    std::string m_name;
};

std::string baseOf(const std::string& path)
{
    return path.substr(path.rfind('/') + 1);
}

std::string folderOf(const std::string& member)
{
    const auto slash = member.rfind('/');
    return slash == std::string::npos ? std::string() : baseOf(member.substr(0, slash));
}

/// What other systems put beside files, which nobody means.
bool isLitter(const std::string& member)
{
    return baseOf(member).starts_with("._") || member.starts_with("__MACOSX/");
}

} // namespace

bool looksZip(std::string_view head)
{
    using namespace std::string_view_literals;
    return head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv) ||
           head.starts_with("PK\x07\x08"sv);
}

bool looksTar(std::string_view head)
{
    constexpr std::size_t header = 512, at = 148, length = 8;
    if (head.size() < header || head.front() == '\0')
        return false;
    std::uint64_t stored = 0;
    std::size_t digits = 0;
    for (std::size_t i = at; i < at + length; ++i) {
        const char c = head[i];
        if (c >= '0' && c <= '7') {
            stored = stored * 8 + static_cast<std::uint64_t>(c - '0');
            ++digits;
        } else if (c != ' ' && c != '\0') {
            return false;
        } else if (digits > 0) {
            break;
        }
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < header; ++i)
        sum += i >= at && i < at + length ? ' ' : static_cast<unsigned char>(head[i]);
    return digits > 0 && sum == stored;
}

Result<Archive> Archive::open(std::string_view bytes, Kind kind, const std::string& name,
                              const CancelToken& cancel, const Progress& progress)
{
    Archive out;
    out.m_bytes = bytes;
    out.m_kind = kind;
    out.m_name = name;
    SPARSERL_TRY(const Reader reader, openReader(bytes, kind, name));
    std::uint64_t expanded = 0;
    for (std::size_t index = 0;; ++index) {
        if (cancel.cancelled())
            return fail(interruption());
        SPARSERL_TRY(struct archive_entry * entry, nextEntry(reader.get(), name));
        if (entry == nullptr)
            return out;
        if (index >= mostEntries)
            return failAt(name, 0, fmt::format("the archive has more than {} entries", mostEntries),
                          "Unpack it and give the file in it that is the matrix");
        if (progress)
            progress(0, "looking into the archive");
        if (isFile(entry) && !isLitter(nameOf(entry)))
            out.m_members.push_back({nameOf(entry), index, ::archive_entry_size(entry)});
        if (kind == Kind::Tar)
            SPARSERL_CHECK(passOver(reader.get(), bytes.size(), expanded, name, cancel));
    }
}

Result<std::unique_ptr<ByteSource>> Archive::source(const ArchiveMember& member,
                                                    const std::string& name) const
{
    SPARSERL_TRY(Reader reader, openReader(m_bytes, m_kind, m_name));
    for (std::size_t index = 0;; ++index) {
        SPARSERL_TRY(struct archive_entry * entry, nextEntry(reader.get(), m_name));
        if (entry == nullptr)
            return failAt(m_name, 0, "the archive has no " + member.name);
        if (index < member.index)
            continue;
        SPARSERL_CHECK(checkMember(reader.get(), entry, m_kind, m_name));
        return std::unique_ptr<ByteSource>(
            std::make_unique<MemberSource>(std::move(reader), m_bytes.size(), name));
    }
}

Result<ArchiveMember> matrixOf(const Archive& archive, const std::string& name)
{
    const auto& all = archive.members();
    if (all.empty())
        return failAt(name, 0, "the archive holds no file", "Give one that holds a matrix");
    std::vector<ArchiveMember> matrices, named;
    for (const ArchiveMember& member : all) {
        const std::string file = baseOf(member.name), stem = withoutMatrixEndings(file);
        if (!hasMatrixEnding(file))
            continue;
        matrices.push_back(member);
        if (stem == folderOf(member.name) || stem == withoutMatrixEndings(baseOf(name)))
            named.push_back(member);
    }
    if (matrices.empty() && all.size() == 1)
        return all.front();
    if (matrices.size() == 1)
        return matrices.front();
    if (named.size() == 1)
        return named.front();
    std::vector<std::string> some;
    for (const ArchiveMember& member : matrices.empty() ? all : matrices) {
        if (some.size() == 3)
            break;
        some.push_back(shortened(member.name, 80));
    }
    const std::size_t count = matrices.empty() ? all.size() : matrices.size();
    return failAt(
        name, 0,
        matrices.empty()
            ? fmt::format("the archive holds {} files and none with the extension of a matrix file: {}{}",
                          count, fmt::join(some, ", "), count > 3 ? ", ..." : "")
            : fmt::format("the archive holds {} matrices: {}{}", count, fmt::join(some, ", "),
                          count > 3 ? ", ..." : ""),
        fmt::format("Unpack it with {} and give the file that you want",
                    shellCommand(archive.kind() == Archive::Kind::Zip ? "unzip {}" : "tar -xf {}", {name})));
}

} // namespace sparserl
