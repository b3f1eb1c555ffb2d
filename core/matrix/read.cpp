// SPDX-License-Identifier: Apache-2.0
#include "matrix/read.h"

#include "base/files.h"
#include "base/format.h"
#include "base/limits.h"
#include "matrix/number.h"
#include "matrix/readers.h"

#include <fmt/format.h>
#include <new>

namespace sparserl {

namespace {

/// Bytes that can be had without swapping; 2^62 where the kernel does not tell.
std::int64_t availableMemory()
{
    const auto memory = machineMemory();
    return memory ? memory->available : std::int64_t(1) << 62;
}

Result<MatrixFile> readFrom(TextBlocks& blocks, std::int64_t memory, ReadWarnings& warnings)
{
    // Numbers are never cut in either mode, and the banner of a Matrix Market file is short, so the first
    // block can be read before the format is known. It is read by lines if it has any.
    SPARSERL_TRY(auto first, blocks.next(TextBlocks::Cut::Lines));
    std::string_view text = first;
    const bool marked = text.starts_with("\xef\xbb\xbf");
    if (text.starts_with("\xef\xbb\xbf")) {
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
        if (line.find(',') != std::string_view::npos || blocks.name().find(".smtx") != std::string::npos) {
            return readSmtx(blocks, text, memory, warnings);
        }
    }
    return failAt(blocks.name(), 1, "this is neither Matrix Market nor .smtx",
                  "A Matrix Market file starts with \"%%MatrixMarket matrix\"; a .smtx file with "
                  "\"rows, cols, entries\"");
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
        return failAt(name, line,
                      fmt::format("a matrix of {} x {} needs {} of memory, {} are free", rows, cols,
                                  formatBytes(static_cast<double>(needed)),
                                  formatBytes(static_cast<double>(free))),
                      "Check the size line, or close other programs");
    }
    return {};
}

Result<MatrixFile> readMatrixFromBytes(std::string_view bytes, const std::string& name,
                                       const ReadOptions& options)
{
    try {
        TextBlocks blocks(bytes, name, options.cancel, options.progress);
        ReadWarnings warnings;
        auto file = readFrom(blocks, options.memory, warnings);
        if (file) {
            warnings.add(ReadWarnings::Kind::Duplicates, file->source.duplicates,
                         file->source.symmetry == "general" ? "" : " or its mirror image");
            warnings.add(ReadWarnings::Kind::BehindGzip, blocks.foreignRest() ? 1 : 0);
            file->source.warnings = warnings.list();
            file->source.compressed = blocks.compressed();
            file->source.textBytes = blocks.textBytes();
            if (options.progress) {
                options.progress(1, "reading");
            }
            for (const MatrixWarning& warning : file->source.warnings) {
                if (options.onWarning) {
                    options.onWarning(warning);
                }
            }
        }
        return file;
    } catch (const std::bad_alloc&) {
        return failAt(name, 0, "there is not enough memory for this matrix", "Close other programs");
    }
}

Result<MatrixFile> readMatrix(const std::filesystem::path& path, const ReadOptions& options)
{
    SPARSERL_TRY(auto mapped, MappedFile::open(path));
    return readMatrixFromBytes(mapped.view(), path.string(), options);
}

} // namespace sparserl
