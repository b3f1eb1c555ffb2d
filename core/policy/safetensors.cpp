// SPDX-License-Identifier: Apache-2.0
// The safetensors format: u64 header length, JSON header, raw little-endian data.
#include "policy/safetensors.h"

#include "base/files.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sparserl {

static_assert(std::endian::native == std::endian::little, "tensor data is copied as it stands");

namespace {

using nlohmann::json;

constexpr std::uint64_t maxHeader = 100'000'000;
const std::string remedy =
    "The file is damaged or not a safetensors file; copy it again or take another checkpoint";

struct TypeName
{
    const char* name;
    torch::ScalarType type;
};
constexpr TypeName typeNames[] = {
    {"F32", torch::kFloat32}, {"F64", torch::kFloat64}, {"F16", torch::kFloat16}, {"BF16", torch::kBFloat16},
    {"I64", torch::kInt64},   {"I32", torch::kInt32},   {"U8", torch::kUInt8},    {"BOOL", torch::kBool}};

struct Entry
{
    std::string name;
    torch::ScalarType type;
    std::vector<std::int64_t> shape;
    std::uint64_t begin, end;
};

Result<Entry> parseEntry(const std::string& name, const json& value, std::uint64_t dataSize,
                         const std::string& file)
{
    const auto wrong = [&](const std::string& why) {
        return failAt(file, 0, "tensor " + name + " " + why, remedy);
    };
    if (!value.is_object() || !value.contains("dtype") || !value["dtype"].is_string() ||
        !value.contains("shape") || !value["shape"].is_array() || !value.contains("data_offsets") ||
        !value["data_offsets"].is_array() || value["data_offsets"].size() != 2)
        return wrong("lacks dtype, shape or data_offsets");
    Entry entry;
    entry.name = name;
    const auto type = std::find_if(std::begin(typeNames), std::end(typeNames),
                                   [&](const TypeName& t) { return value["dtype"] == t.name; });
    if (type == std::end(typeNames))
        return wrong("has the unknown type " + value["dtype"].get<std::string>());
    entry.type = type->type;
    std::uint64_t bytes = c10::elementSize(entry.type);
    bool empty = false;
    for (const json& extent : value["shape"]) {
        if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > std::uint64_t(INT64_MAX))
            return wrong("has a shape that is not made of whole numbers");
        const auto n = extent.get<std::uint64_t>();
        entry.shape.push_back(std::int64_t(n));
        empty = empty || n == 0;
        if (!empty && __builtin_mul_overflow(bytes, n, &bytes))
            return wrong("has a shape beyond 64 bits");
    }
    if (empty)
        bytes = 0;
    for (const json& offset : value["data_offsets"]) {
        if (!offset.is_number_unsigned())
            return wrong("has an offset that is not a whole number");
    }
    entry.begin = value["data_offsets"][0].get<std::uint64_t>();
    entry.end = value["data_offsets"][1].get<std::uint64_t>();
    if (entry.begin > entry.end || entry.end > dataSize)
        return wrong("lies outside the file");
    if (entry.end - entry.begin != bytes)
        return wrong(fmt::format("has {} bytes where its shape needs {}", entry.end - entry.begin, bytes));
    return entry;
}

} // namespace

const torch::Tensor* SafeTensors::find(const std::string& name) const
{
    for (const auto& [known, tensor] : tensors) {
        if (known == name)
            return &tensor;
    }
    return nullptr;
}

Result<SafeTensors> readSafeTensors(const std::filesystem::path& path)
{
    const std::string file = path.string();
    SPARSERL_TRY(auto mapped, MappedFile::open(path));
    const std::string_view all = mapped.view();
    std::uint64_t headerSize = 0;
    if (all.size() < 8)
        return failAt(file, 0, "the file is shorter than a safetensors header", remedy);
    std::memcpy(&headerSize, all.data(), 8);
    if (headerSize > maxHeader || headerSize > all.size() - 8)
        return failAt(file, 0, fmt::format("the header claims {} bytes", headerSize), remedy);
    const std::string_view text = all.substr(8, headerSize), data = all.substr(8 + headerSize);
    // A repeated name would silently win over the first one, so names are counted while parsing.
    std::vector<std::string> names;
    const auto count = [&](int depth, json::parse_event_t event, json& parsed) {
        if (depth == 1 && event == json::parse_event_t::key)
            names.push_back(parsed.get<std::string>());
        return true;
    };
    const json header = json::parse(text, count, false);
    if (text.empty() || text.front() != '{' || !header.is_object())
        return failAt(file, 0, "the header is not JSON in UTF-8", remedy);
    if (names.size() != header.size())
        return failAt(file, 0, "the header names a tensor twice", remedy);

    SafeTensors content;
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items()) {
        if (name == "__metadata__") {
            if (!value.is_object())
                return failAt(file, 0, "__metadata__ is not an object", remedy);
            for (const auto& [key, item] : value.items()) {
                if (!item.is_string())
                    return failAt(file, 0, "metadata " + key + " is not text", remedy);
                content.metadata[key] = item.get<std::string>();
            }
            continue;
        }
        SPARSERL_TRY(auto entry, parseEntry(name, value, data.size(), file));
        entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::uint64_t at = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != at)
            return failAt(
                file, 0,
                fmt::format("tensor {} starts at {} where {} is expected", entry.name, entry.begin, at),
                remedy);
        at = entry.end;
    }
    if (at != data.size())
        return failAt(file, 0, fmt::format("{} bytes follow the last tensor", data.size() - at), remedy);
    for (const Entry& entry : entries) {
        torch::Tensor tensor = torch::empty(entry.shape, entry.type);
        if (entry.end > entry.begin)
            std::memcpy(tensor.data_ptr(), data.data() + entry.begin, entry.end - entry.begin);
        content.tensors.emplace_back(entry.name, std::move(tensor));
    }
    return content;
}

Status writeSafeTensors(const std::filesystem::path& path, const SafeTensors& content)
{
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!content.metadata.empty())
        header["__metadata__"] = content.metadata;
    std::vector<torch::Tensor> data;
    std::uint64_t at = 0;
    for (const auto& [name, tensor] : content.tensors) {
        data.push_back(tensor.detach().to(torch::kCPU).contiguous());
        const auto type = std::find_if(std::begin(typeNames), std::end(typeNames), [&](const TypeName& t) {
            return t.type == data.back().scalar_type();
        });
        if (type == std::end(typeNames))
            return failAt(path.string(), 0,
                          "tensor " + name + " has a type that safetensors files of ours do not hold");
        if (header.contains(name))
            return failAt(path.string(), 0, "tensor " + name + " is given twice");
        const std::uint64_t bytes = data.back().nbytes();
        header[name] = {
            {"dtype", type->name}, {"shape", data.back().sizes().vec()}, {"data_offsets", {at, at + bytes}}};
        at += bytes;
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' '); // data starts aligned, as the reference writer does it
    const std::uint64_t headerSize = text.size();

    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return failAt(path.string(), 0, std::string("the file cannot be created: ") + std::strerror(errno),
                      "Check the folder's permissions");
    bool ok = true;
    const auto put = [&](const void* bytes, std::uint64_t size) {
        const char* from = static_cast<const char*>(bytes);
        while (ok && size > 0) {
            const ssize_t n = ::write(fd, from, std::min<std::uint64_t>(size, 1u << 30));
            if (n < 0 && errno == EINTR)
                continue;
            ok = n > 0;
            from += ok ? n : 0;
            size -= ok ? std::uint64_t(n) : 0;
        }
    };
    put(&headerSize, 8);
    put(text.data(), text.size());
    for (const torch::Tensor& tensor : data)
        put(tensor.data_ptr(), tensor.nbytes());
    ok = ok && ::fsync(fd) == 0;
    const int why = errno;
    ok = ::close(fd) == 0 && ok;
    if (!ok)
        return failAt(path.string(), 0, std::string("writing failed: ") + std::strerror(why),
                      "Free some disk space");
    return {};
}

} // namespace sparserl
