// SPDX-License-Identifier: Apache-2.0
#include "matrix/pack.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/read_at.h"
#include "matrix/readers.h"
#include "matrix/values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <zstd.h>

namespace sparserl {

namespace {

constexpr std::string_view magic = "SRLPACK1";
constexpr std::size_t headBytes = 8 + 4 + 8;
constexpr std::uint64_t mostIndexBytes = std::uint64_t(256) << 20;

void put(std::string& out, std::uint64_t value)
{
    while (value >= 0x80) {
        out.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<char>(value));
}

std::uint64_t zigzag(std::int64_t value)
{
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value)
{
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

/// Reads what `put` wrote; `good` turns false at the end of the data or past 64 bits.
class Reader
{
public:
    explicit Reader(std::string_view bytes)
        : m_at(bytes.data())
        , m_end(bytes.data() + bytes.size())
    {
    }
    std::uint64_t next()
    {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (m_at == m_end)
                break;
            const auto byte = static_cast<unsigned char>(*m_at++);
            value |= std::uint64_t(byte & 0x7f) << shift;
            if (byte < 0x80)
                return value;
        }
        m_good = false;
        return 0;
    }
    bool good() const { return m_good; }
    bool atEnd() const { return m_at == m_end; }

private:
    const char* m_at;
    const char* m_end;
    bool m_good = true;
};

/// All of the bytes, or false.
bool readAll(const Descriptor& file, std::uint64_t at, char* into, std::size_t bytes)
{
    return readAt(file.get(), at, into, bytes) == bytes;
}

std::string encode(const Csr& matrix)
{
    std::array<std::string, 3> streams;
    std::int64_t before = 0;
    for (std::int32_t r = 0; r < matrix.rows; ++r) {
        put(streams[0], static_cast<std::uint64_t>(matrix.rowLength(r)));
        for (std::int32_t i = matrix.rowPtr[r]; i < matrix.rowPtr[r + 1]; ++i) {
            if (i == matrix.rowPtr[r]) {
                put(streams[1], zigzag(matrix.col[i] - before));
                before = matrix.col[i];
            } else {
                put(streams[2], static_cast<std::uint64_t>(matrix.col[i] - matrix.col[i - 1] - 1));
            }
        }
    }
    std::string out;
    put(out, streams[0].size());
    put(out, streams[1].size());
    for (const std::string& stream : streams)
        out += stream;
    return out;
}

Result<Csr> decode(std::string_view bytes, const PackEntry& entry)
{
    const auto damaged = [&] { return fail("the pattern of " + entry.name + " is damaged"); };
    Reader head(bytes);
    const std::uint64_t first = head.next(), second = head.next();
    std::string sizes;
    put(sizes, first);
    put(sizes, second);
    if (!head.good() || first > bytes.size() || second > bytes.size() ||
        sizes.size() + first + second > bytes.size())
        return damaged();
    Reader lengths(bytes.substr(sizes.size(), first));
    Reader starts(bytes.substr(sizes.size() + first, second));
    Reader gaps(bytes.substr(sizes.size() + first + second));
    // Every number takes a byte at least: what the entry claims is there, before memory for it is taken.
    if (first < static_cast<std::uint64_t>(entry.rows) ||
        bytes.size() - sizes.size() - first < static_cast<std::uint64_t>(entry.nnz))
        return damaged();
    Csr out;
    out.rows = entry.rows;
    out.cols = entry.cols;
    out.rowPtr.reserve(static_cast<std::size_t>(entry.rows) + 1);
    out.col.reserve(static_cast<std::size_t>(entry.nnz));
    std::int64_t before = 0;
    for (std::int32_t r = 0; r < entry.rows; ++r) {
        const std::uint64_t length = lengths.next();
        if (!lengths.good() || out.col.size() + length > static_cast<std::uint64_t>(entry.nnz))
            return damaged();
        std::int64_t column = 0;
        for (std::uint64_t k = 0; k < length; ++k) {
            const std::uint64_t raw = k == 0 ? starts.next() : gaps.next();
            if (!starts.good() || !gaps.good() || raw > std::uint64_t(1) << 33)
                return damaged();
            column = k == 0 ? before + unzigzag(raw) : column + static_cast<std::int64_t>(raw) + 1;
            if (k == 0)
                before = column;
            if (column < 0 || column >= entry.cols)
                return damaged();
            out.col.push_back(static_cast<std::int32_t>(column));
        }
        out.rowPtr.push_back(static_cast<std::int32_t>(out.col.size()));
    }
    if (out.nnz() != entry.nnz || !lengths.atEnd() || !starts.atEnd() || !gaps.atEnd())
        return damaged();
    out.val.resize(out.col.size());
    fillSeededValues(out);
    return out;
}

nlohmann::json toJson(const PackEntry& entry)
{
    return {{"name", entry.name},
            {"class", entry.structure},
            {"source", entry.source},
            {"rows", entry.rows},
            {"cols", entry.cols},
            {"nnz", entry.nnz},
            {"pattern", entry.patternDigest},
            {"offset", entry.offset},
            {"bytes", entry.bytes}};
}

bool fromJson(const nlohmann::json& json, PackEntry& entry)
{
    try {
        entry.name = json.at("name").get<std::string>();
        entry.structure = json.at("class").get<std::string>();
        entry.source = json.at("source").get<std::string>();
        entry.rows = jsonAs<std::int32_t>(json.at("rows")).value_or(-1);
        entry.cols = jsonAs<std::int32_t>(json.at("cols")).value_or(-1);
        entry.nnz = jsonAs<std::int64_t>(json.at("nnz")).value_or(-1);
        entry.patternDigest = json.at("pattern").get<std::string>();
        constexpr std::uint64_t none = ~std::uint64_t(0); // beyond any file
        entry.offset = jsonAs<std::uint64_t>(json.at("offset")).value_or(none);
        entry.bytes = jsonAs<std::uint64_t>(json.at("bytes")).value_or(none);
    } catch (const nlohmann::json::exception&) {
        return false;
    }
    return entry.rows >= 0 && entry.cols >= 0 && entry.nnz >= 0 && entry.nnz <= 2147483647;
}

} // namespace

Result<Pack> Pack::open(const std::filesystem::path& path)
{
    const auto refuse = [&](const std::string& why) {
        return fail(Error{why, path.string(), 0, "write it again with `sparserl pack`"});
    };
    // A pipe is not waited for: a pack is read at many places, so it cannot be one.
    SPARSERL_TRY(Descriptor file, openFile(path, O_RDONLY | O_NONBLOCK, "read the pattern pack"));
    struct stat info
    {
    };
    if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return failAt(path.string(), 0, "a pattern pack must be a file", "Write it to a file first");
    const auto size = static_cast<std::uint64_t>(info.st_size);
    std::array<char, headBytes> head{};
    if (!readAll(file, 0, head.data(), headBytes) || std::string_view(head.data(), 8) != magic)
        return refuse("this is not a pattern pack");
    std::uint32_t checksum = 0;
    std::uint64_t length = 0;
    std::memcpy(&checksum, head.data() + 8, 4);
    std::memcpy(&length, head.data() + 12, 8);
    if (length > mostIndexBytes || headBytes + length > size)
        return refuse("the pattern pack is truncated");
    std::string index(length, '\0');
    if (!readAll(file, headBytes, index.data(), length) || crc32Of(index.data(), index.size()) != checksum)
        return refuse("the index of the pattern pack is damaged");
    Pack pack;
    pack.m_path = path;
    pack.m_file = std::make_shared<const Descriptor>(std::move(file));
    pack.m_dataAt = headBytes + length;
    const auto json = parseJson(index);
    if (!json || !json->is_object() || !json->contains("matrices") || !(*json)["matrices"].is_array())
        return refuse("the index of the pattern pack is damaged");
    for (const auto& one : (*json)["matrices"]) {
        PackEntry entry;
        if (!fromJson(one, entry))
            return refuse("the index of the pattern pack is damaged");
        if (entry.offset > size || entry.bytes > size || pack.m_dataAt + entry.offset + entry.bytes > size)
            return refuse("the pattern pack is truncated at " + entry.name);
        pack.m_entries.push_back(std::move(entry));
    }
    return pack;
}

const PackEntry* Pack::find(std::string_view name) const
{
    const auto found =
        std::find_if(m_entries.begin(), m_entries.end(), [&](const auto& e) { return e.name == name; });
    return found == m_entries.end() ? nullptr : &*found;
}

Result<Csr> Pack::load(const PackEntry& entry, std::int64_t memory) const
try {
    const auto refuse = [&](const std::string& why) {
        return fail(Error{why, m_path.string(), 0, "write the pack again with `sparserl pack`"});
    };
    std::string packed(entry.bytes, '\0');
    if (!m_file || !readAll(*m_file, m_dataAt + entry.offset, packed.data(), packed.size()))
        return refuse("the pattern of " + entry.name + " cannot be read");
    const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    // Ten bytes hold any integer: three streams cannot be longer.
    const std::uint64_t most = 10 * (std::uint64_t(entry.rows) + std::uint64_t(entry.nnz)) + 64;
    // A block of four bytes gives 128 KiB at most (RFC 8878): a small file cannot claim more.
    const std::uint64_t possible = 32768 * (std::uint64_t(packed.size()) + 4);
    if (size > possible)
        return refuse("the pattern of " + entry.name + " is damaged");
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > most)
        return refuse("the pattern of " + entry.name + " is damaged");
    const std::int64_t needed =
        static_cast<std::int64_t>(size) + 4 * std::int64_t(entry.rows) + 8 * entry.nnz;
    SPARSERL_CHECK(checkMemory(m_path.string(), 0, entry.rows, entry.cols, needed, memory));
    std::string bytes(size, '\0');
    const auto got = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
    if (ZSTD_isError(got) || got != size)
        return refuse("the pattern of " + entry.name + " is damaged");
    auto matrix = decode(bytes, entry);
    if (!matrix)
        return refuse(matrix.error().what);
    if (sparserl::patternDigest(*matrix) != entry.patternDigest)
        return refuse("the pattern of " + entry.name + " is damaged");
    return matrix;
} catch (const std::bad_alloc&) {
    return failAt(m_path.string(), 0, "there is not enough memory for the pattern of " + entry.name,
                  "Close other programs");
}

Status PackWriter::add(const Csr& matrix, std::string name, std::string structure, std::string source)
{
    if (std::any_of(m_entries.begin(), m_entries.end(), [&](const auto& e) { return e.name == name; }))
        return fail("the pack already has a matrix " + name, "give each file another name");
    const std::string bytes = encode(matrix);
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const auto size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), m_level);
    if (ZSTD_isError(size))
        return fail(
            fmt::format("the pattern of {} could not be compressed: {}", name, ZSTD_getErrorName(size)));
    m_entries.push_back({std::move(name), std::move(structure), std::move(source), matrix.rows, matrix.cols,
                         matrix.nnz(), sparserl::patternDigest(matrix), m_data.size(), size});
    m_data.append(packed.data(), size);
    return {};
}

Status PackWriter::write(const std::filesystem::path& path) const
{
    nlohmann::json list = nlohmann::json::array();
    for (const PackEntry& entry : m_entries)
        list.push_back(toJson(entry));
    const std::string index = dumpJson({{"matrices", std::move(list)}});
    const std::uint32_t checksum = crc32Of(index.data(), index.size());
    const std::uint64_t length = index.size();
    std::string bytes(magic);
    bytes.append(reinterpret_cast<const char*>(&checksum), 4);
    bytes.append(reinterpret_cast<const char*>(&length), 8);
    bytes += index;
    bytes += m_data;
    return writeFileAtomic(path, bytes);
}

} // namespace sparserl
