// SPDX-License-Identifier: Apache-2.0
#include "matrix/density.h"

#include "base/files.h"
#include "base/hash.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace sparserl {

namespace {

/// Cell of each index of a range, so that counting needs no division: cell = floor(i * cells / size).
std::vector<std::int32_t> cellMap(std::int64_t size, std::int32_t cells)
{
    std::vector<std::int32_t> map(static_cast<std::size_t>(size));
    // firstRow(cell) = floor(cell * size / cells) is where each cell begins.
    for (std::int32_t cell = 0; cell < cells; ++cell) {
        const std::int64_t from = cell * size / cells;
        const std::int64_t to = (cell + 1) * size / cells;
        std::fill(map.begin() + from, map.begin() + to, cell);
    }
    return map;
}

DensityGrid halved(const DensityGrid& fine)
{
    DensityGrid out = fine;
    // A side of one cell stays; odd sides would make uneven cells, so levels use sides of powers of two only.
    const std::int32_t fx = fine.width > 1 ? 2 : 1;
    const std::int32_t fy = fine.height > 1 ? 2 : 1;
    out.width = fine.width / fx;
    out.height = fine.height / fy;
    out.counts.assign(std::size_t(out.width) * out.height, 0);
    for (std::int32_t y = 0; y < fine.height; ++y) {
        for (std::int32_t x = 0; x < fine.width; ++x) {
            out.counts[std::size_t(y / fy) * out.width + x / fx] += fine.at(y, x);
        }
    }
    out.most = *std::max_element(out.counts.begin(), out.counts.end());
    return out;
}

std::int32_t powerOfTwoUpTo(std::int64_t limit)
{
    std::int32_t power = 1;
    while (power * 2 <= limit) {
        power *= 2;
    }
    return power;
}

} // namespace

double DensityGrid::fill(std::int32_t y, std::int32_t x) const
{
    const double places = static_cast<double>(firstRow(y + 1) - firstRow(y)) *
                          static_cast<double>(firstCol(x + 1) - firstCol(x));
    return places > 0 ? at(y, x) / places : 0;
}

DensityGrid densityTile(const CsrView& matrix, std::int64_t rowBegin, std::int64_t rowEnd,
                        std::int64_t colBegin, std::int64_t colEnd, std::int32_t width, std::int32_t height,
                        const CancelToken& cancel)
{
    DensityGrid out;
    out.rowBegin = std::clamp<std::int64_t>(rowBegin, 0, matrix.rows);
    out.rowEnd = std::clamp<std::int64_t>(rowEnd, out.rowBegin, matrix.rows);
    out.colBegin = std::clamp<std::int64_t>(colBegin, 0, matrix.cols);
    out.colEnd = std::clamp<std::int64_t>(colEnd, out.colBegin, matrix.cols);
    const std::int64_t rows = out.rowEnd - out.rowBegin;
    const std::int64_t cols = out.colEnd - out.colBegin;
    out.height = static_cast<std::int32_t>(std::min<std::int64_t>(rows, std::max(height, 0)));
    out.width = static_cast<std::int32_t>(std::min<std::int64_t>(cols, std::max(width, 0)));
    if (out.height == 0 || out.width == 0) {
        out.height = out.width = 0;
        return out;
    }
    out.counts.assign(std::size_t(out.width) * out.height, 0);
    const auto columnCell = cellMap(cols, out.width);
    const bool whole = out.colBegin == 0 && out.colEnd == matrix.cols;
    const auto columns = static_cast<std::uint32_t>(cols), first = static_cast<std::uint32_t>(out.colBegin);
    for (std::int32_t y = 0; y < out.height && !cancel.cancelled(); ++y) {
        std::uint32_t* cells = out.counts.data() + std::size_t(y) * out.width;
        for (std::int64_t r = out.firstRow(y); r < out.firstRow(y + 1); ++r) {
            auto at = matrix.col.begin() + matrix.rowPtr[r];
            const auto end = matrix.col.begin() + matrix.rowPtr[r + 1];
            if (!whole) {
                at = std::lower_bound(at, end, static_cast<std::int32_t>(out.colBegin));
            }
            for (; at != end; ++at) {
                // Also what keeps a damaged file from leading anywhere else.
                const std::uint32_t place = static_cast<std::uint32_t>(*at) - first;
                if (place >= columns) {
                    break;
                }
                ++cells[columnCell[place]];
            }
        }
    }
    out.most = *std::max_element(out.counts.begin(), out.counts.end());
    return out;
}

DensityPyramid buildDensityPyramid(const CsrView& matrix, std::int32_t side)
{
    DensityPyramid out;
    out.rows = matrix.rows;
    out.cols = matrix.cols;
    if (matrix.rows == 0 || matrix.cols == 0) {
        return out;
    }
    const std::int32_t width = powerOfTwoUpTo(std::min<std::int64_t>(matrix.cols, side));
    const std::int32_t height = powerOfTwoUpTo(std::min<std::int64_t>(matrix.rows, side));
    out.levels.push_back(densityTile(matrix, 0, matrix.rows, 0, matrix.cols, width, height));
    while (out.levels.back().width > 64 || out.levels.back().height > 64) {
        out.levels.push_back(halved(out.levels.back()));
    }
    return out;
}

const DensityGrid* DensityPyramid::levelFor(std::int32_t width, std::int32_t height) const
{
    for (const DensityGrid& level : levels) {
        if (level.width <= width && level.height <= height) {
            return &level;
        }
    }
    return levels.empty() ? nullptr : &levels.back();
}

namespace {

constexpr std::string_view magic = "SRLPYR02";

template <typename T>
void put(std::string& out, const T& value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
bool take(std::string_view& in, T& value)
{
    if (in.size() < sizeof value) {
        return false;
    }
    std::memcpy(&value, in.data(), sizeof value);
    in.remove_prefix(sizeof value);
    return true;
}

} // namespace

std::string serialize(const DensityPyramid& pyramid)
{
    // Only the finest level is stored: the others are its sums.
    std::string body;
    put(body, pyramid.rows);
    put(body, pyramid.cols);
    const bool any = !pyramid.levels.empty();
    put(body, any ? pyramid.levels.front().width : std::int32_t(0));
    put(body, any ? pyramid.levels.front().height : std::int32_t(0));
    if (any) {
        // Most cells are 0 or small: packed, a pyramid is a few per cent of its 4 MiB.
        const auto& counts = pyramid.levels.front().counts;
        body += zlibCompress(
            {reinterpret_cast<const char*>(counts.data()), counts.size() * sizeof(std::uint32_t)}, 1);
    }
    std::string out(magic);
    put(out, crc32Of(body.data(), body.size()));
    return out + body;
}

Result<DensityPyramid> parseDensityPyramid(std::string_view bytes)
{
    const auto damaged = [] { return fail("the stored density pyramid is damaged"); };
    std::uint32_t checksum = 0;
    if (!bytes.starts_with(magic)) {
        return damaged();
    }
    bytes.remove_prefix(magic.size());
    if (!take(bytes, checksum) || crc32Of(bytes.data(), bytes.size()) != checksum) {
        return damaged();
    }
    DensityPyramid out;
    std::int32_t width = 0;
    std::int32_t height = 0;
    if (!take(bytes, out.rows) || !take(bytes, out.cols) || !take(bytes, width) || !take(bytes, height) ||
        width < 0 || height < 0 || out.rows < 0 || out.cols < 0 || width > out.cols || height > out.rows) {
        return damaged();
    }
    if (width == 0 || height == 0) {
        return out;
    }
    constexpr std::int32_t largestSide = 1 << 14;
    if (width > largestSide || height > largestSide || (width & (width - 1)) != 0 ||
        (height & (height - 1)) != 0) {
        return damaged();
    }
    const std::size_t size = 4 * std::size_t(width) * std::size_t(height);
    const auto counts = zlibDecompress(bytes, size);
    if (!counts || counts->size() != size) {
        return damaged();
    }
    DensityGrid grid;
    grid.rowEnd = out.rows;
    grid.colEnd = out.cols;
    grid.width = width;
    grid.height = height;
    grid.counts.resize(std::size_t(width) * std::size_t(height));
    std::memcpy(grid.counts.data(), counts->data(), size);
    grid.most = *std::max_element(grid.counts.begin(), grid.counts.end());
    out.levels.push_back(std::move(grid));
    while (out.levels.back().width > 64 || out.levels.back().height > 64) {
        out.levels.push_back(halved(out.levels.back()));
    }
    return out;
}

bool findEntry(const CsrView& matrix, std::int64_t row, std::int64_t col, float& value)
{
    if (row < 0 || row >= matrix.rows || col < 0 || col >= matrix.cols) {
        return false;
    }
    const auto begin = matrix.col.begin() + matrix.rowPtr[row];
    const auto end = matrix.col.begin() + matrix.rowPtr[row + 1];
    const auto at = std::lower_bound(begin, end, static_cast<std::int32_t>(col));
    if (at == end || *at != col) {
        return false;
    }
    value = matrix.val[static_cast<std::size_t>(at - matrix.col.begin())];
    return true;
}

} // namespace sparserl
