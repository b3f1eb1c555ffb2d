// SPDX-License-Identifier: Apache-2.0
#include "base/safetensors_header.h"

#include "base/json.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <tuple>

namespace sparserl {

static_assert(std::endian::native == std::endian::little, "lengths are copied as they stand");

namespace {

using nlohmann::json;

constexpr std::uint64_t maxHeader = 100'000'000;
constexpr std::size_t maxDimensions = 64;
const char* const remedy =
    "The file is damaged or not a safetensors file; copy it again or take another checkpoint";

struct TypeSize
{
    std::string_view name;
    std::uint64_t bytes;
};
constexpr TypeSize typeSizes[] = {{"F32", 4}, {"F64", 8}, {"F16", 2}, {"BF16", 2},
                                  {"I64", 8}, {"I32", 4}, {"U8", 1},  {"BOOL", 1}};

/// Names come from the file and may be as long as it.
std::string shown(const std::string& name)
{
    constexpr std::size_t most = 200;
    return name.size() <= most ? name : name.substr(0, most) + "...";
}

Result<TensorEntry> readEntry(const std::string& name, const json& value, std::uint64_t dataBytes,
                              const std::string& file)
{
    const auto wrong = [&](const std::string& why) {
        return failAt(file, 0, "tensor " + shown(name) + " " + why, remedy);
    };
    const auto type = jsonRequire<std::string>(value, "dtype");
    const auto offsets = jsonRequire<std::vector<json>>(value, "data_offsets");
    const auto shape = jsonRequire<std::vector<json>>(value, "shape");
    if (!type || !offsets || !shape || offsets->size() != 2)
        return wrong("lacks dtype, shape or data_offsets");
    TensorEntry entry;
    entry.name = name;
    entry.type = *type;
    std::uint64_t bytes = tensorTypeBytes(entry.type);
    if (bytes == 0)
        return wrong("has the unknown type " + shown(entry.type));
    if (shape->size() > maxDimensions)
        return wrong(fmt::format("has more than {} dimensions", maxDimensions));
    bool empty = false;
    for (const json& extent : *shape) {
        const auto n = extent.is_number_unsigned() ? jsonAs<std::int64_t>(extent) : std::nullopt;
        if (!n)
            return wrong("has a shape that is not made of whole numbers");
        entry.shape.push_back(*n);
        empty = empty || *n == 0;
        // Strides are products too, also of a tensor without elements.
        if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(*n, 1)),
                                   &bytes) ||
            bytes > std::uint64_t(INT64_MAX))
            return wrong("has a shape beyond 64 bits");
    }
    if (empty)
        bytes = 0;
    const auto begin =
        offsets->front().is_number_unsigned() ? jsonAs<std::uint64_t>(offsets->front()) : std::nullopt;
    const auto end =
        offsets->back().is_number_unsigned() ? jsonAs<std::uint64_t>(offsets->back()) : std::nullopt;
    if (!begin || !end)
        return wrong("has an offset that is not a whole number");
    entry.begin = *begin;
    entry.end = *end;
    if (entry.begin > entry.end || entry.end > dataBytes)
        return wrong("lies outside the file");
    if (entry.end - entry.begin != bytes)
        return wrong(fmt::format("has {} bytes where its shape needs {}", entry.end - entry.begin, bytes));
    return entry;
}

Result<std::map<std::string, std::string>> readMetadata(const json& value, const std::string& file)
{
    std::map<std::string, std::string> metadata;
    if (!value.is_object())
        return failAt(file, 0, "__metadata__ is not an object", remedy);
    for (const auto& [key, item] : value.items()) {
        if (!item.is_string())
            return failAt(file, 0, "metadata " + shown(key) + " is not text", remedy);
        metadata[key] = item.get<std::string>();
    }
    return metadata;
}

/// Counts the names at the outermost level. (nlohmann's parser with a callback takes time with the square of
/// their number.)
struct NameCounter : nlohmann::json_sax<json>
{
    std::size_t names = 0;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return ++m_depth > 0; }
    bool key(string_t&) override
    {
        names += m_depth == 1 ? 1 : 0;
        return true;
    }
    bool end_object() override { return m_depth-- > 0; }
    bool start_array(std::size_t) override { return ++m_depth > 0; }
    bool end_array() override { return m_depth-- > 0; }
    bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

private:
    int m_depth = 0;
};

/// A repeated name would silently win over the first.
Result<json> parseHeader(std::string_view text, const std::string& file)
{
    auto header = parseJson(text, file);
    if (!header || text.empty() || text.front() != '{' || !header->is_object())
        return failAt(file, 0, "the header is not JSON in UTF-8", remedy);
    NameCounter counter;
    if (!json::sax_parse(text, &counter) || counter.names != header->size())
        return failAt(file, 0, "the header names a tensor twice", remedy);
    return header;
}

Status checkOrder(const std::vector<TensorEntry>& tensors, std::uint64_t dataBytes, const std::string& file)
{
    std::uint64_t at = 0;
    for (const TensorEntry& entry : tensors) {
        if (entry.begin != at)
            return failAt(file, 0,
                          fmt::format("tensor {} starts at {} where {} is expected", shown(entry.name),
                                      entry.begin, at),
                          remedy);
        at = entry.end;
    }
    if (at != dataBytes)
        return failAt(file, 0, fmt::format("{} bytes follow the last tensor", dataBytes - at), remedy);
    return {};
}

} // namespace

std::uint64_t tensorTypeBytes(std::string_view type)
{
    for (const TypeSize& known : typeSizes) {
        if (known.name == type)
            return known.bytes;
    }
    return 0;
}

Result<std::uint64_t> safeTensorsHeaderBytes(std::string_view firstBytes, std::uint64_t fileBytes,
                                             const std::string& file)
{
    std::uint64_t length = 0;
    if (firstBytes.size() < sizeof length || fileBytes < sizeof length)
        return failAt(file, 0, "the file is shorter than a safetensors header", remedy);
    std::memcpy(&length, firstBytes.data(), sizeof length);
    if (length > maxHeader || length > fileBytes - sizeof length)
        return failAt(file, 0, fmt::format("the header claims {} bytes", length), remedy);
    return length + sizeof length;
}

Result<SafeTensorsHeader> readSafeTensorsHeader(std::string_view head, std::uint64_t fileBytes,
                                                const std::string& file)
{
    SafeTensorsHeader header;
    SPARSERL_TRY(header.dataAt, safeTensorsHeaderBytes(head, fileBytes, file));
    if (head.size() < header.dataAt)
        return failAt(file, 0, "the header is cut", remedy);
    constexpr std::size_t lengthBytes = 8;
    SPARSERL_TRY(const json parsed, parseHeader(head.substr(lengthBytes, header.dataAt - lengthBytes), file));
    const std::uint64_t dataBytes = fileBytes - header.dataAt;
    for (const auto& [name, value] : parsed.items()) {
        if (name == "__metadata__") {
            SPARSERL_TRY(header.metadata, readMetadata(value, file));
            continue;
        }
        SPARSERL_TRY(auto entry, readEntry(name, value, dataBytes, file));
        header.tensors.push_back(std::move(entry));
    }
    std::sort(header.tensors.begin(), header.tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    SPARSERL_CHECK(checkOrder(header.tensors, dataBytes, file));
    return header;
}

std::string formatSafeTensorsHeader(const SafeTensorsHeader& header)
{
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    if (!header.metadata.empty())
        object["__metadata__"] = header.metadata;
    for (const TensorEntry& entry : header.tensors)
        object[entry.name] = {
            {"dtype", entry.type}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
    std::string text = object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    text.append((8 - text.size() % 8) % 8, ' '); // data start aligned, as the reference writer does it
    const std::uint64_t length = text.size();
    std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
    return bytes + text;
}

} // namespace sparserl
