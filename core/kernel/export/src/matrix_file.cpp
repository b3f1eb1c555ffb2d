// SPDX-License-Identifier: Apache-2.0
#include "matrix_file.h"

#include <fstream>
#include <sstream>

namespace sparserl_bundle {

namespace {

constexpr std::int64_t magic = 0x3152534353505253;         // "SRPSCSR1": float32
constexpr std::int64_t magic_doubles = 0x3252534353505253; // "SRPSCSR2": float64
constexpr std::int64_t most = INT32_MAX;

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw std::runtime_error(path + ": " + why);
}

template <typename T>
void read_array(std::ifstream& file, std::vector<T>& values, std::int64_t count)
{
    values.resize(static_cast<std::size_t>(count));
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

/// In the type of the file; to the bundle's they are rounded.
template <typename T>
void read_values(std::ifstream& file, std::vector<real>& values, std::int64_t count)
{
    std::vector<T> read;
    read_array(file, read, count);
    values.assign(read.begin(), read.end());
}

Matrix read_csr(std::ifstream& file, const std::string& path)
{
    std::int64_t header[4] = {};
    file.read(reinterpret_cast<char*>(header), sizeof header);
    const std::int64_t rows = header[1], cols = header[2], nnz = header[3];
    const bool doubles = header[0] == magic_doubles;
    const auto start = file.tellg();
    file.seekg(0, std::ios::end);
    const std::int64_t bytes = file.tellg() - start;
    file.seekg(start);
    // The size first: nothing is allocated for a file that does not hold it.
    if (!file || rows < 0 || cols < 0 || nnz < 0 || rows > most - 1 || cols > most || nnz > most ||
        bytes != 4 * (rows + 1) + (doubles ? 12 : 8) * nnz)
        refuse(path, "the file is damaged: its size does not match its header");
    Matrix m;
    m.rows = static_cast<std::int32_t>(rows);
    m.cols = static_cast<std::int32_t>(cols);
    read_array(file, m.row_ptr, rows + 1);
    read_array(file, m.col, nnz);
    if (doubles)
        read_values<double>(file, m.val, nnz);
    else
        read_values<float>(file, m.val, nnz);
    if (!file)
        refuse(path, "the file could not be read");
    if (m.row_ptr.front() != 0 || m.row_ptr.back() != nnz)
        refuse(path, "the file is damaged: its rows do not hold as many non-zeros as its header says");
    return m;
}

struct Entry
{
    std::int64_t row, col;
    double value;
};

std::string lower(std::string text)
{
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

Matrix read_market(std::ifstream& file, const std::string& path)
{
    std::string line, head, object, layout, field, symmetry;
    std::getline(file, line);
    std::istringstream(lower(line)) >> head >> object >> layout >> field >> symmetry;
    const bool pattern = field == "pattern";
    const double mirrored = symmetry == "general" ? 0 : symmetry == "skew-symmetric" ? -1 : 1;
    if (object != "matrix" || layout != "coordinate" || (!pattern && field != "real" && field != "integer") ||
        (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric"))
        refuse(path,
               "only Matrix Market files of coordinates with real, integer or pattern entries are read");
    while (std::getline(file, line)) {
        if (!line.empty() && line[0] != '%' && line.find_first_not_of(" \t\r") != std::string::npos)
            break;
    }
    std::int64_t rows = 0, cols = 0, count = 0;
    std::istringstream size(line);
    if (!(size >> rows >> cols >> count) || rows < 0 || cols < 0 || count < 0 || rows > most - 1 ||
        cols > most || count > most)
        refuse(path, "the line with rows, columns and entries is missing or wrong");
    std::vector<Entry> entries;
    for (std::int64_t i = 0; i < count; ++i) {
        Entry e{0, 0, 1};
        if (!(file >> e.row >> e.col) || (!pattern && !(file >> e.value)) || e.row < 1 || e.row > rows ||
            e.col < 1 || e.col > cols)
            refuse(path, "entry " + std::to_string(i + 1) + " of " + std::to_string(count) +
                             " is missing or out of range");
        entries.push_back({e.row - 1, e.col - 1, e.value});
        if (mirrored != 0 && e.row != e.col)
            entries.push_back({e.col - 1, e.row - 1, mirrored * e.value});
    }
    const auto before = [](const Entry& a, const Entry& b) {
        return a.row != b.row ? a.row < b.row : a.col < b.col;
    };
    std::stable_sort(entries.begin(), entries.end(), before);
    Matrix m;
    m.rows = static_cast<std::int32_t>(rows);
    m.cols = static_cast<std::int32_t>(cols);
    m.row_ptr.assign(static_cast<std::size_t>(rows) + 1, 0);
    for (std::size_t i = 0; i < entries.size();) {
        const Entry first = entries[i];
        double sum = 0;
        for (; i < entries.size() && entries[i].row == first.row && entries[i].col == first.col; ++i)
            sum += entries[i].value;
        m.col.push_back(static_cast<std::int32_t>(first.col));
        m.val.push_back(static_cast<real>(sum));
        m.row_ptr[static_cast<std::size_t>(first.row) + 1] = static_cast<std::int32_t>(m.col.size());
    }
    for (std::size_t r = 1; r < m.row_ptr.size(); ++r) // Rows without entries end where the one before does.
        m.row_ptr[r] = std::max(m.row_ptr[r], m.row_ptr[r - 1]);
    if (m.col.size() > static_cast<std::size_t>(most))
        refuse(path, "the matrix is too large: non-zeros must fit into 32 bits");
    return m;
}

std::uint64_t fnv1a(std::uint64_t hash, const void* data, std::size_t bytes)
{
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i)
        hash = (hash ^ p[i]) * 1099511628211ull;
    return hash;
}

} // namespace

Matrix read_matrix(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        refuse(path, "the file cannot be opened");
    char start[14] = {};
    file.read(start, sizeof start);
    const std::streamsize got = file.gcount();
    file.clear();
    file.seekg(0);
    std::int64_t number = 0;
    if (got >= 8)
        std::memcpy(&number, start, 8);
    Matrix m;
    if (number == magic || number == magic_doubles)
        m = read_csr(file, path);
    else if (got == 14 && lower(std::string(start, 14)) == "%%matrixmarket")
        m = read_market(file, path);
    else
        refuse(path, "the file is neither matrix.csr of a bundle nor a Matrix Market file");
    try {
        m.view().check();
    } catch (const std::runtime_error& reason) {
        refuse(path, reason.what());
    }
    return m;
}

std::uint64_t checksum(const Matrix& m)
{
    std::uint64_t hash = fnv1a(14695981039346656037ull, m.row_ptr.data(), 4 * m.row_ptr.size());
    hash = fnv1a(hash, m.col.data(), 4 * m.col.size());
    return fnv1a(hash, m.val.data(), sizeof(real) * m.val.size());
}

} // namespace sparserl_bundle
