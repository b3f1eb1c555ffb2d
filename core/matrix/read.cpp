// SPDX-License-Identifier: Apache-2.0
#include "matrix/read.h"

#include "base/files.h"
#include "base/format.h"
#include "base/limits.h"
#include "base/mapped_file.h"
#include "matrix/archive.h"
#include "matrix/convert.h"
#include "matrix/npy_array.h"
#include "matrix/number.h"
#include "matrix/readers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <new>
#include <optional>

namespace sparserl {

namespace {

/// Bytes that can be had without swapping; 2^62 where the kernel does not tell.
std::int64_t availableMemory()
{
    const auto memory = machineMemory();
    return memory ? memory->available : std::int64_t(1) << 62;
}

/// What a file may make of itself where the caller sets no bound: a few words promise two thousand million
/// rows. Real ones are far below, also those of few entries in many rows.
std::int64_t memoryFor(std::size_t fileBytes)
{
    constexpr std::int64_t least = std::int64_t(1) << 30, timesFile = 4096;
    return std::max(least, timesFile * static_cast<std::int64_t>(fileBytes));
}

/// "3.0 GiB are free", or what a file of its size may take.
std::string roomText(std::int64_t room, bool isBounded)
{
    const std::string text = formatBytes(static_cast<double>(room));
    return isBounded ? fmt::format("a file of this size may take {}", text) : text + " are free";
}

constexpr std::size_t headBytes = 4096; ///< Enough to tell any format.

/// Of the file itself: a folder may be called x.smtx as well.
bool isSmtxName(std::string_view path)
{
    const std::string_view name = path.substr(path.rfind('/') + 1); // npos + 1 is 0
    return name.find(".smtx") != std::string_view::npos;
}

/// The text formats.
Result<MatrixFile> readText(TextBlocks& blocks, std::int64_t memory, ReadWarnings& warnings)
{
    // Numbers are never cut in either mode, and the banner of a Matrix Market file is short, so the first
    // block can be read before the format is known. It is read by lines if it has any.
    SPARSERL_TRY(auto first, blocks.next(TextBlocks::Cut::Lines));
    std::string_view text = first;
    if (looksHarwell(text)) {
        return readHarwell(blocks, text, memory, warnings);
    }
    const bool marked = text.starts_with("\xef\xbb\xbf");
    if (marked) {
        text.remove_prefix(3);
    }
    const char* at = text.data();
    const char* end = at + text.size();
    while (at != end && (isBlank(*at) || *at == '\n')) {
        ++at;
    }
    if (at == end) {
        return failAt(blocks.name(), 0, "the file is empty");
    }
    if (marked) {
        warnings.note(ReadWarnings::Kind::BeforeBanner, 1, "a byte order mark");
    } else if (at != text.data()) {
        warnings.note(ReadWarnings::Kind::BeforeBanner, 1, "blank space");
    }
    if (*at == '%') {
        return readMarket(blocks, text, memory, warnings);
    }
    if (isDigit(*at)) {
        const std::string_view line(at, text.find('\n', static_cast<std::size_t>(at - text.data())) -
                                            static_cast<std::size_t>(at - text.data()));
        if (line.find(',') != std::string_view::npos || isSmtxName(blocks.name())) {
            return readSmtx(blocks, text, memory, warnings);
        }
    }
    return failAt(blocks.name(), 1, "this is not Matrix Market or any other supported format",
                  "A Matrix Market file starts with \"%%MatrixMarket matrix\", a .smtx file with "
                  "\"rows, cols, entries\"; docs/formats.md names the formats");
}

/// Reads what lies at one place: a file, what is compressed in it, or a member of an archive in it.
class Reading
{
public:
    explicit Reading(const ReadOptions& options)
        : m_options(options)
    {
    }
    /// The whole file.
    Result<MatrixFile> file(std::string_view bytes, const std::string& name);

private:
    Result<MatrixFile> archive(std::string_view bytes, Archive::Kind kind, const std::string& name);
    /// `archiveBytes`: of the archive that the source is a member of; 0: of none.
    Result<MatrixFile> stream(std::unique_ptr<ByteSource> source, const std::string& name,
                              std::uint64_t archiveBytes);
    Result<MatrixFile> blocks(TextBlocks& text);
    /// A binary format, by what it begins with; `bytes` gives all of it.
    template <typename Bytes>
    std::optional<Result<MatrixFile>> binary(std::string_view head, const std::string& name, Bytes&& bytes);
    void finish(MatrixFile& file);

    ReadOptions m_options;
    ReadWarnings m_warnings;
    bool m_compressed = false, m_foreignRest = false;
    std::int64_t m_textBytes = 0;
};

template <typename Bytes>
std::optional<Result<MatrixFile>> Reading::binary(std::string_view head, const std::string& name,
                                                  Bytes&& bytes)
{
    const bool npy = looksNpy(head);
    if (npy || looksPetsc(head)) {
        const Result<std::string_view> all = bytes();
        if (!all) {
            return fail(all.error());
        }
        m_textBytes = static_cast<std::int64_t>(all->size());
        return npy ? readNpy(*all, name, m_options.memory)
                   : readPetsc(*all, name, m_options.memory, m_warnings);
    }
    if (auto foreign = foreignFormat(head, name)) {
        return fail(std::move(*foreign));
    }
    return std::nullopt;
}

Result<MatrixFile> Reading::blocks(TextBlocks& text)
{
    auto file = readText(text, m_options.memory, m_warnings);
    m_foreignRest = text.foreignRest();
    m_textBytes = text.textBytes();
    return file;
}

Result<MatrixFile> Reading::stream(std::unique_ptr<ByteSource> source, const std::string& name,
                                   std::uint64_t archiveBytes)
{
    m_compressed = true;
    const bool nested = archiveBytes > 0;
    SPARSERL_TRY(Peeked peeked, peek(std::move(source), headBytes));
    if (nested && looksGzip(peeked.head)) { // cant.mtx.gz in an archive
        SPARSERL_TRY(peeked, peek(gzipSource(std::move(peeked.source), name, archiveBytes), headBytes));
    }
    if (looksZip(peeked.head) || looksTar(peeked.head) || (nested && looksGzip(peeked.head))) {
        return failAt(name, 0, "this is an archive in an archive",
                      "Unpack the outer one and name the file inside");
    }
    std::string all;
    if (auto read = binary(peeked.head, name, [&]() -> Result<std::string_view> {
            SPARSERL_TRY(
                all, readAll(*peeked.source, name, m_options.memory, m_options.cancel, m_options.progress));
            m_foreignRest = peeked.source->foreignRest();
            return std::string_view(all);
        })) {
        return std::move(*read);
    }
    TextBlocks text(std::move(peeked.source), name, m_options.cancel, m_options.progress);
    return blocks(text);
}

Result<MatrixFile> Reading::archive(std::string_view bytes, Archive::Kind kind, const std::string& name)
{
    m_compressed = true;
    SPARSERL_TRY(const Archive archive,
                 Archive::open(bytes, kind, name, m_options.cancel, m_options.progress));
    if (kind == Archive::Kind::Zip && isNpz(archive)) {
        m_textBytes = static_cast<std::int64_t>(bytes.size());
        return readNpz(archive, name, m_options);
    }
    SPARSERL_TRY(const ArchiveMember member, matrixOf(archive, name));
    const std::string where = fmt::format("{}({})", name, member.name);
    SPARSERL_TRY(auto source, archive.source(member, where));
    return stream(std::move(source), where, bytes.size());
}

Result<MatrixFile> Reading::file(std::string_view bytes, const std::string& name)
{
    if (const std::int64_t most = memoryFor(bytes.size());
        m_options.memory == 0 && most < availableMemory() / 10 * 8) {
        m_options.memory = most;
    }
    auto read = [&]() -> Result<MatrixFile> {
        if (looksZip(bytes)) {
            return archive(bytes, Archive::Kind::Zip, name);
        }
        if (looksGzip(bytes)) {
            SPARSERL_TRY(const Peeked inside, peek(gzipSource(memorySource(bytes), name), headBytes));
            return looksTar(inside.head) ? archive(bytes, Archive::Kind::Tar, name)
                                         : stream(gzipSource(memorySource(bytes), name), name, 0);
        }
        const std::string_view head = bytes.substr(0, headBytes);
        if (looksTar(head)) {
            return archive(bytes, Archive::Kind::Tar, name);
        }
        if (auto known = binary(head, name, [&]() -> Result<std::string_view> { return bytes; })) {
            return std::move(*known);
        }
        TextBlocks text(bytes, name, m_options.cancel, m_options.progress);
        return blocks(text);
    }();
    if (read) {
        if (!m_options.doubles) {
            read->matrix.val64 = {};
        }
        finish(*read);
    }
    return read;
}

void Reading::finish(MatrixFile& file)
{
    m_warnings.add(ReadWarnings::Kind::Duplicates, file.source.duplicates,
                   file.source.symmetry == "general" ? "" : " or its mirror image");
    m_warnings.add(ReadWarnings::Kind::BehindGzip, m_foreignRest ? 1 : 0);
    file.source.warnings = m_warnings.list();
    file.source.compressed = m_compressed;
    file.source.textBytes = m_textBytes;
    if (m_options.progress) {
        m_options.progress(1, "reading");
    }
    for (const MatrixWarning& warning : file.source.warnings) {
        if (m_options.onWarning) {
            m_options.onWarning(warning);
        }
    }
}

tl::unexpected<Error> outOfMemory(const std::string& name, int line, std::string what, std::string remedy)
{
    auto error = failOutOfMemory(std::move(what), std::move(remedy));
    error.value().file = name;
    error.value().line = line;
    return error;
}

} // namespace

Status checkSize(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                 std::int64_t entries, std::int64_t memory)
{
    constexpr std::int64_t most = 2147483647;
    if (rows > most || cols > most) {
        return failAt(name, line,
                      fmt::format("{} x {} is too large: at most {} rows and columns", rows, cols, most));
    }
    if (entries > most) {
        return failAt(name, line, fmt::format("{} entries are too many: at most {}", entries, most));
    }
    return checkMemory(name, line, rows, cols, 8 * (rows + cols), memory);
}

Status checkMemory(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                   std::int64_t needed, std::int64_t memory)
{
    if (memory <= 0 && needed <= std::int64_t(64) << 20) {
        return {};
    }
    const std::int64_t free = memory > 0 ? memory : availableMemory() / 10 * 8;
    if (needed > free) {
        return outOfMemory(name, line,
                           fmt::format("a matrix of {} x {} needs {} of memory, {}", rows, cols,
                                       formatBytes(static_cast<double>(needed)), roomText(free, memory > 0)),
                           "Check the size line, or close other programs");
    }
    return {};
}

Status checkBytes(const std::string& name, std::int64_t needed, std::int64_t memory)
{
    if (memory <= 0 && needed <= std::int64_t(64) << 20) {
        return {};
    }
    const std::int64_t free = memory > 0 ? memory : availableMemory() / 10 * 8;
    if (needed > free) {
        return outOfMemory(name, 0,
                           fmt::format("the contents of the file need more than {} of memory, {}",
                                       formatBytes(static_cast<double>(needed)), roomText(free, memory > 0)),
                           "Close other programs, or use a machine with more memory");
    }
    return {};
}

Status checkValue(const std::string& name, int line, double value, std::int64_t row, std::int64_t col)
{
    if (!std::isfinite(value)) {
        return failAt(name, line,
                      fmt::format("the value in row {}, column {} is not finite", row + 1, col + 1),
                      "Remove the entry or give it a value");
    }
    if (!std::isfinite(static_cast<float>(value))) {
        return failAt(name, line,
                      fmt::format("the value {} in row {}, column {} is too large for single precision",
                                  value, row + 1, col + 1),
                      "Scale the matrix");
    }
    return {};
}

Result<Csr> assembleChecked(const std::string& name, std::int32_t rows, std::int32_t cols, Triplets&& entries,
                            std::int64_t& duplicates)
{
    Csr matrix = assemble(rows, cols, std::move(entries), &duplicates);
    const auto finite = [](float value) { return std::isfinite(value); };
    if (duplicates > 0 && !std::all_of(matrix.val.begin(), matrix.val.end(), finite)) {
        return failAt(name, 0, "duplicate entries sum to more than single precision holds",
                      "Scale the matrix");
    }
    return matrix;
}

Result<MatrixFile> readMatrixFromBytes(std::string_view bytes, const std::string& name,
                                       const ReadOptions& options)
{
    try {
        return Reading(options).file(bytes, name);
    } catch (const std::bad_alloc&) {
        return failAt(name, 0, "there is not enough memory for this matrix", "Close other programs");
    }
}

Result<MatrixFile> readMatrix(const std::filesystem::path& path, const ReadOptions& options)
{
    SPARSERL_TRY(auto mapped, MappedFile::open(path));
    SPARSERL_CHECK(mapped.solid());
    auto matrix = readMatrixFromBytes(mapped.view(), path.string(), options);
    SPARSERL_CHECK(mapped.whole()); // says more than what the rest of it was taken for
    return matrix;
}

} // namespace sparserl
