// SPDX-License-Identifier: Apache-2.0
// Matrices of NumPy and SciPy: .npy (dense) and .npz of scipy.sparse.save_npz.
#include "matrix/archive.h"
#include "matrix/assemble.h"
#include "matrix/npy_array.h"
#include "matrix/readers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace sparserl {
namespace {

constexpr const char* saveSparse =
    "Save a sparse matrix with `scipy.sparse.save_npz`, or a dense one with `numpy.save`";

/// What arrays of any of SciPy's formats become.
class NumpyMatrix
{
public:
    NumpyMatrix(std::string name, std::int64_t memory)
        : m_name(std::move(name))
        , m_memory(memory)
    {
    }

    Status dense(const NpyArray& array);
    Status sparse(const std::map<std::string, NpyArray>& arrays);
    Result<MatrixFile> finish(const char* format, const std::string& storage);

private:
    tl::unexpected<Error> refuse(std::string what,
                                 std::string remedy = "Save it again with `scipy.sparse.save_npz`") const
    {
        return failAt(m_name, 0, std::move(what), std::move(remedy));
    }
    Status setSize(std::int64_t rows, std::int64_t cols, std::int64_t entries);
    Status setValues(const NpyArray& values);
    Status add(std::int64_t row, std::int64_t col, double value);
    Result<const NpyArray*> array(const std::map<std::string, NpyArray>& arrays, const std::string& key,
                                  std::size_t dimensions, bool whole) const;
    Result<const NpyArray*> pointers(const std::map<std::string, NpyArray>& arrays, std::int64_t lines,
                                     std::int64_t entries) const;
    Status compressed(const std::map<std::string, NpyArray>& arrays, bool byRows);
    Status coordinates(const std::map<std::string, NpyArray>& arrays);
    Status blocks(const std::map<std::string, NpyArray>& arrays);
    Status diagonals(const std::map<std::string, NpyArray>& arrays);

    std::string m_name;
    std::int64_t m_memory = 0;
    std::int64_t m_rows = 0, m_cols = 0;
    MatrixSource m_source;
    Triplets m_entries;
};

Status NumpyMatrix::setSize(std::int64_t rows, std::int64_t cols, std::int64_t entries)
{
    SPARSERL_CHECK(checkSize(m_name, 0, rows, cols, entries, m_memory));
    SPARSERL_CHECK(checkMemory(m_name, 0, rows, cols, 8 * (rows + cols) + 32 * entries, m_memory));
    m_rows = rows;
    m_cols = cols;
    m_source.storedEntries = entries;
    return {};
}

Status NumpyMatrix::setValues(const NpyArray& values)
{
    if (values.kind == 'c')
        return refuse("the values are complex; kernels here work on real numbers",
                      "Save the real part or the magnitudes, such as `A.real`");
    if (!values.isNumber())
        return refuse("the values are not numbers");
    m_source.field = values.kind == 'f' ? "real" : "integer";
    return {};
}

Status NumpyMatrix::add(std::int64_t row, std::int64_t col, double value)
{
    if (row < 0 || row >= m_rows || col < 0 || col >= m_cols)
        return refuse(fmt::format("the entry ({}, {}) is outside of the matrix of {} x {} (numbers from 0)",
                                  row, col, m_rows, m_cols));
    SPARSERL_CHECK(checkValue(m_name, 0, value, row, col));
    m_entries.row.push_back(static_cast<std::int32_t>(row));
    m_entries.col.push_back(static_cast<std::int32_t>(col));
    m_entries.value.push_back(value);
    m_source.explicitZeros += value == 0 ? 1 : 0;
    return {};
}

Status NumpyMatrix::dense(const NpyArray& values)
{
    if (values.shape.size() != 2)
        return refuse(fmt::format("the array has {} dimension{}, and a matrix has two", values.shape.size(),
                                  values.shape.size() == 1 ? "" : "s"),
                      "Save a matrix of rows and columns, such as with `reshape`");
    SPARSERL_CHECK(setValues(values));
    const std::int64_t rows = values.shape[0], cols = values.shape[1];
    SPARSERL_CHECK(checkSize(m_name, 0, rows, cols, 0, m_memory));
    std::int64_t entries = 0;
    for (std::int64_t i = 0; i < values.count(); ++i)
        entries += values.real(i) != 0 ? 1 : 0;
    SPARSERL_CHECK(setSize(rows, cols, entries));
    m_source.storedEntries = values.count();
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t col = 0; col < cols; ++col) {
            const double value = values.real(values.fortran ? col * rows + row : row * cols + col);
            if (value != 0) // Zeros of a dense file are not entries.
                SPARSERL_CHECK(add(row, col, value));
        }
    }
    return {};
}

Result<const NpyArray*> NumpyMatrix::array(const std::map<std::string, NpyArray>& arrays,
                                           const std::string& key, std::size_t dimensions, bool whole) const
{
    const auto found = arrays.find(key);
    if (found == arrays.end())
        return refuse(fmt::format("the file lacks the array \"{}\"", key));
    const NpyArray& array = found->second;
    if (array.shape.size() != dimensions)
        return refuse(fmt::format("the array \"{}\" has {} dimensions instead of {}", key, array.shape.size(),
                                  dimensions));
    if (whole && array.kind != 'i' && array.kind != 'u')
        return refuse(fmt::format("the array \"{}\" does not hold whole numbers", key));
    return &array;
}

/// indptr: `lines` + 1 of them, from 0 to `entries`, never down.
Result<const NpyArray*> NumpyMatrix::pointers(const std::map<std::string, NpyArray>& arrays,
                                              std::int64_t lines, std::int64_t entries) const
{
    SPARSERL_TRY(const NpyArray* indptr, array(arrays, "indptr", 1, true));
    if (indptr->count() != lines + 1)
        return refuse(
            fmt::format("the array \"indptr\" has {} elements instead of {}", indptr->count(), lines + 1));
    std::int64_t before = 0;
    for (std::int64_t i = 0; i <= lines; ++i) {
        const std::int64_t pointer = indptr->integer(i);
        if (pointer < before || pointer > entries || (i == 0 && pointer != 0) ||
            (i == lines && pointer != entries))
            return refuse(fmt::format("element {} of \"indptr\" is {}: it must be in {}..{}", i, pointer,
                                      before, i == 0 ? 0 : entries));
        before = pointer;
    }
    return indptr;
}

Status NumpyMatrix::compressed(const std::map<std::string, NpyArray>& arrays, bool byRows)
{
    SPARSERL_TRY(const NpyArray* indices, array(arrays, "indices", 1, true));
    SPARSERL_TRY(const NpyArray* data, array(arrays, "data", 1, false));
    SPARSERL_CHECK(setValues(*data));
    if (data->count() != indices->count())
        return refuse(fmt::format("there are {} values for {} indices", data->count(), indices->count()));
    SPARSERL_CHECK(setSize(m_rows, m_cols, data->count()));
    const std::int64_t lines = byRows ? m_rows : m_cols;
    SPARSERL_TRY(const NpyArray* indptr, pointers(arrays, lines, data->count()));
    for (std::int64_t line = 0; line < lines; ++line) {
        for (std::int64_t k = indptr->integer(line); k < indptr->integer(line + 1); ++k) {
            const std::int64_t other = indices->integer(k);
            SPARSERL_CHECK(add(byRows ? line : other, byRows ? other : line, data->real(k)));
        }
    }
    return {};
}

Status NumpyMatrix::coordinates(const std::map<std::string, NpyArray>& arrays)
{
    SPARSERL_TRY(const NpyArray* data, array(arrays, "data", 1, false));
    SPARSERL_CHECK(setValues(*data));
    const NpyArray *row = nullptr, *col = nullptr;
    std::int64_t rowAt = 0, colAt = 0, step = 1;
    if (arrays.contains("coords")) { // of coo_array: one array of two lines
        SPARSERL_TRY(row, array(arrays, "coords", 2, true));
        if (row->shape[0] != 2 || row->shape[1] != data->count())
            return refuse("the array \"coords\" does not fit the values");
        col = row;
        colAt = row->fortran ? 1 : data->count();
        step = row->fortran ? 2 : 1;
    } else {
        SPARSERL_TRY(row, array(arrays, "row", 1, true));
        SPARSERL_TRY(col, array(arrays, "col", 1, true));
        if (row->count() != data->count() || col->count() != data->count())
            return refuse(fmt::format("there are {} values for {} rows and {} columns", data->count(),
                                      row->count(), col->count()));
    }
    SPARSERL_CHECK(setSize(m_rows, m_cols, data->count()));
    for (std::int64_t k = 0; k < data->count(); ++k)
        SPARSERL_CHECK(add(row->integer(rowAt + k * step), col->integer(colAt + k * step), data->real(k)));
    return {};
}

/// Blocks of one size in block rows; zeros in them are stored, as SciPy's `tocsr` has it.
Status NumpyMatrix::blocks(const std::map<std::string, NpyArray>& arrays)
{
    SPARSERL_TRY(const NpyArray* indices, array(arrays, "indices", 1, true));
    SPARSERL_TRY(const NpyArray* data, array(arrays, "data", 3, false));
    SPARSERL_CHECK(setValues(*data));
    const std::int64_t count = data->shape[0], height = data->shape[1], width = data->shape[2];
    if (count != indices->count())
        return refuse(fmt::format("there are {} blocks for {} indices", count, indices->count()));
    if (height < 1 || width < 1 || m_rows % height != 0 || m_cols % width != 0)
        return refuse(
            fmt::format("blocks of {} x {} do not fit a matrix of {} x {}", height, width, m_rows, m_cols));
    SPARSERL_CHECK(setSize(m_rows, m_cols, data->count()));
    SPARSERL_TRY(const NpyArray* indptr, pointers(arrays, m_rows / height, count));
    for (std::int64_t line = 0; line < m_rows / height; ++line) {
        for (std::int64_t k = indptr->integer(line); k < indptr->integer(line + 1); ++k) {
            const std::int64_t other = indices->integer(k);
            if (other < 0 || other >= m_cols / width)
                return refuse(fmt::format("block column {} is outside of the matrix of {} x {}", other,
                                          m_rows, m_cols));
            for (std::int64_t i = 0; i < height * width; ++i) {
                const std::int64_t r = i / width, c = i % width;
                const std::int64_t at = data->fortran ? (c * height + r) * count + k : k * height * width + i;
                SPARSERL_CHECK(add(line * height + r, other * width + c, data->real(at)));
            }
        }
    }
    return {};
}

/// Element (i, j) of diagonal k is data[k, j] with i = j - offsets[k]; zeros pad, as SciPy's `tocsr` has it.
Status NumpyMatrix::diagonals(const std::map<std::string, NpyArray>& arrays)
{
    SPARSERL_TRY(const NpyArray* offsets, array(arrays, "offsets", 1, true));
    SPARSERL_TRY(const NpyArray* data, array(arrays, "data", 2, false));
    SPARSERL_CHECK(setValues(*data));
    const std::int64_t count = data->shape[0], width = data->shape[1];
    if (count != offsets->count())
        return refuse(fmt::format("there are {} diagonals for {} offsets", count, offsets->count()));
    SPARSERL_CHECK(setSize(m_rows, m_cols, data->count()));
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t offset = offsets->integer(k);
        if (offset <= -m_rows || offset >= m_cols)
            continue; // SciPy allows diagonals that lie outside.
        const std::int64_t begin = std::max<std::int64_t>(0, offset);
        const std::int64_t end = std::min({width, m_cols, m_rows + offset});
        for (std::int64_t col = begin; col < end; ++col) {
            const double value = data->real(data->fortran ? col * count + k : k * width + col);
            if (value != 0)
                SPARSERL_CHECK(add(col - offset, col, value));
        }
    }
    return {};
}

Status NumpyMatrix::sparse(const std::map<std::string, NpyArray>& arrays)
{
    SPARSERL_TRY(const NpyArray* shape, array(arrays, "shape", 1, true));
    if (shape->count() != 2)
        return refuse(
            fmt::format("the sparse array has {} dimensions, and a matrix has two", shape->count()));
    const std::int64_t rows = shape->integer(0), cols = shape->integer(1);
    if (rows < 0 || cols < 0)
        return refuse(fmt::format("{} x {} is no size", rows, cols));
    SPARSERL_CHECK(setSize(rows, cols, 0));
    const NpyArray& format = arrays.at("format");
    const std::string kind = format.kind == 'S' || format.kind == 'U' ? format.text() : std::string();
    if (kind == "csr" || kind == "csc")
        return compressed(arrays, kind == "csr");
    if (kind == "coo")
        return coordinates(arrays);
    if (kind == "bsr")
        return blocks(arrays);
    if (kind == "dia")
        return diagonals(arrays);
    return refuse("the file does not say which of SciPy's formats it is (csr, csc, coo, bsr or dia)");
}

Result<MatrixFile> NumpyMatrix::finish(const char* format, const std::string& storage)
{
    MatrixFile out;
    out.source = m_source;
    out.source.format = format;
    out.source.storage = storage;
    out.source.symmetry = "general";
    if (m_entries.value.empty())
        m_entries = Triplets();
    SPARSERL_TRY(out.matrix,
                 assembleChecked(m_name, static_cast<std::int32_t>(m_rows), static_cast<std::int32_t>(m_cols),
                                 std::move(m_entries), out.source.duplicates));
    return out;
}

} // namespace

Result<MatrixFile> readNpy(std::string_view bytes, const std::string& name, std::int64_t memory)
{
    SPARSERL_TRY(const NpyArray array, parseNpy(bytes, name));
    NumpyMatrix matrix(name, memory);
    SPARSERL_CHECK(matrix.dense(array));
    return matrix.finish("npy", "dense");
}

bool isNpz(const Archive& archive)
{
    const auto& members = archive.members();
    return !members.empty() && std::all_of(members.begin(), members.end(), [](const ArchiveMember& member) {
        return member.name.ends_with(".npy");
    });
}

Result<MatrixFile> readNpz(const Archive& archive, const std::string& name, const ReadOptions& options)
{
    static constexpr std::array<std::string_view, 9> keys{"format", "shape", "data",    "indices", "indptr",
                                                          "row",    "col",   "offsets", "coords"};
    std::vector<std::string> names;
    bool sparse = false;
    for (const ArchiveMember& member : archive.members()) {
        names.push_back(member.name.substr(0, member.name.size() - 4));
        sparse = sparse || names.back() == "format";
    }
    std::map<std::string, std::string> bytes;
    std::map<std::string, NpyArray> arrays;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!sparse && names.size() > 1)
            break;
        if (sparse &&
            (std::find(keys.begin(), keys.end(), names[i]) == keys.end() || bytes.contains(names[i])))
            continue;
        const ArchiveMember& member = archive.members()[i];
        const std::string where = fmt::format("{}({})", name, member.name);
        SPARSERL_TRY(const auto source, archive.source(member, where));
        SPARSERL_TRY(bytes[names[i]],
                     readAll(*source, where, options.memory, options.cancel, options.progress));
        SPARSERL_TRY(arrays[names[i]], parseNpy(bytes[names[i]], where));
    }
    NumpyMatrix matrix(name, options.memory);
    if (sparse) {
        SPARSERL_CHECK(matrix.sparse(arrays));
        return matrix.finish("scipy-npz", arrays.at("format").text());
    }
    if (arrays.size() == 1) {
        SPARSERL_CHECK(matrix.dense(arrays.begin()->second));
        return matrix.finish("npy", "dense");
    }
    names.resize(std::min<std::size_t>(names.size(), 5));
    return failAt(
        name, 0,
        fmt::format("this .npz holds arrays ({}), not a sparse matrix of SciPy", fmt::join(names, ", ")),
        saveSparse);
}

} // namespace sparserl
