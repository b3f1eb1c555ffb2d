// SPDX-License-Identifier: Apache-2.0
// Pattern packs: the file as it is, the same with the checksum of its index put right (which random bytes
// never hit), and, for other bytes, patterns behind zstd: dimensions, then the streams as they stand.
#include "base/hash.h"
#include "fuzz.h"
#include "matrix/matrix_list.h"
#include "matrix/pack.h"
#include "matrix/values.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <zstd.h>

namespace {

using namespace sparserl;
using fuzz::checkError;

constexpr std::size_t headBytes = 8 + 4 + 8;

void checkLoaded(const PackEntry& entry, const Csr& matrix)
{
    FUZZ_CHECK(matrix.valid());
    FUZZ_CHECK(matrix.rows == entry.rows && matrix.cols == entry.cols && matrix.nnz() == entry.nnz);
    FUZZ_CHECK(patternDigest(matrix) == entry.patternDigest);
}

/// What was read is written and read back equal.
void checkAgain(const PackEntry& entry, const Csr& matrix)
{
    PackWriter writer(1);
    FUZZ_CHECK(writer.add(matrix, entry.name, entry.structure, entry.source).has_value());
    const auto path = fuzz::scratch("pack") / "again.sparsepack";
    FUZZ_CHECK(writer.write(path).has_value());
    const auto pack = Pack::open(path);
    FUZZ_CHECK(pack.has_value() && pack->entries().size() == 1);
    const PackEntry& again = pack->entries().front();
    FUZZ_CHECK(again.name == entry.name && again.structure == entry.structure &&
               again.source == entry.source);
    const auto loaded = pack->load(again);
    FUZZ_CHECK(loaded.has_value());
    checkLoaded(again, *loaded);
    FUZZ_CHECK(digest(*loaded) == digest(matrix));
}

void checkPack(std::string_view bytes)
{
    const auto path = fuzz::writeFile(fuzz::scratch("pack") / "input.sparsepack", bytes);
    const auto pack = Pack::open(path);
    if (!pack) {
        checkError(pack.error());
        return;
    }
    const std::size_t most = std::min<std::size_t>(pack->entries().size(), 8);
    for (std::size_t i = 0; i < most; ++i) {
        const PackEntry& entry = pack->entries()[i];
        const auto matrix = pack->load(entry, fuzz::matrixMemory);
        if (!matrix) {
            checkError(matrix.error());
            continue;
        }
        checkLoaded(entry, *matrix);
        checkAgain(entry, *matrix);
        const auto listed = listMatrices(path.string() + "#" + entry.name);
        if (entry.name.find('#') == std::string::npos && !entry.name.empty())
            FUZZ_CHECK(listed.has_value() && !listed->empty() && listed->front().name == entry.name);
    }
    const auto all = listMatrices(path.string());
    FUZZ_CHECK(all.has_value() && all->size() == pack->entries().size());
}

std::string withHead(std::string_view index, std::string_view data)
{
    const std::uint32_t checksum = crc32Of(index.data(), index.size());
    const std::uint64_t length = index.size();
    std::string bytes = "SRLPACK1";
    bytes.append(reinterpret_cast<const char*>(&checksum), 4);
    bytes.append(reinterpret_cast<const char*>(&length), 8);
    bytes += index;
    bytes += data;
    return bytes;
}

/// Rows, columns and entries (u16 each), then the streams of a pattern.
void checkStreams(std::string_view bytes)
{
    std::array<std::uint16_t, 3> sizes{};
    if (bytes.size() < sizeof sizes)
        return;
    std::memcpy(sizes.data(), bytes.data(), sizeof sizes);
    bytes.remove_prefix(sizeof sizes);
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
    const nlohmann::json index = {{"matrices",
                                   {{{"name", "m"},
                                     {"class", ""},
                                     {"source", ""},
                                     {"rows", sizes[0]},
                                     {"cols", sizes[1]},
                                     {"nnz", sizes[2]},
                                     {"pattern", ""},
                                     {"offset", 0},
                                     {"bytes", packed.size()}}}}};
    checkPack(withHead(index.dump(), packed));
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = fuzz::textOf(data, size);
    if (!bytes.starts_with("SRLPACK1")) {
        checkStreams(bytes);
        return 0;
    }
    checkPack(bytes);
    std::uint64_t length = 0;
    if (size < headBytes)
        return 0;
    std::memcpy(&length, data + 12, sizeof length);
    length = std::min<std::uint64_t>(length, size - headBytes);
    checkPack(withHead(bytes.substr(headBytes, length), bytes.substr(headBytes + length)));
    return 0;
}
