// SPDX-License-Identifier: Apache-2.0
#include "matrix/write.h"

#include "base/files.h"

#include <array>
#include <fmt/format.h>
#include <iterator>
#include <new>
#include <zlib.h>

namespace sparserl {

namespace {

std::string gzip(std::string_view bytes)
{
    z_stream stream{};
    if (::deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::bad_alloc();
    }
    std::string out;
    std::array<char, 65536> buffer{};
    int code = Z_OK;
    while (code != Z_STREAM_END) {
        if (stream.avail_in == 0 && !bytes.empty()) {
            const std::size_t step = std::min<std::size_t>(bytes.size(), 1u << 30);
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
            stream.avail_in = static_cast<uInt>(step);
            bytes.remove_prefix(step);
        }
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = buffer.size();
        code = ::deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
        out.append(buffer.data(), buffer.size() - stream.avail_out);
    }
    ::deflateEnd(&stream);
    return out;
}

} // namespace

std::string formatMatrixMarket(const Csr& matrix, const std::string& comment)
{
    std::string out = "%%MatrixMarket matrix coordinate real general\n";
    for (std::size_t at = 0; at < comment.size();) {
        const std::size_t end = std::min(comment.find('\n', at), comment.size());
        out += "% " + comment.substr(at, end - at) + "\n";
        at = end + 1;
    }
    out += fmt::format("{} {} {}\n", matrix.rows, matrix.cols, matrix.nnz());
    out.reserve(out.size() + static_cast<std::size_t>(matrix.nnz()) * 24);
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        for (std::int32_t k = matrix.rowPtr[row]; k < matrix.rowPtr[row + 1]; ++k) {
            // {} is the shortest text that restores the number.
            fmt::format_to(std::back_inserter(out), "{} {} ", row + std::int64_t(1),
                           matrix.col[k] + std::int64_t(1));
            if (matrix.val64.empty())
                fmt::format_to(std::back_inserter(out), "{}\n", matrix.val[k]);
            else
                fmt::format_to(std::back_inserter(out), "{}\n", matrix.val64[k]);
        }
    }
    return out;
}

Status writeMatrixMarket(const std::filesystem::path& path, const Csr& matrix, const std::string& comment)
{
    const std::string text = formatMatrixMarket(matrix, comment);
    return writeFileAtomic(path, path.extension() == ".gz" ? gzip(text) : text);
}

} // namespace sparserl
