// SPDX-License-Identifier: Apache-2.0
#include "policy/files/safetensors.h"

#include "base/mapped_file.h"
#include "base/safetensors_header.h"
#include "policy/files/model_limits.h"
#include "policy/files/output_file.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <set>

namespace sparserl {

static_assert(std::endian::native == std::endian::little, "tensor data is copied as it stands");

namespace {

struct TypeName
{
    const char* name;
    torch::ScalarType type;
};
constexpr TypeName typeNames[] = {
    {"F32", torch::kFloat32}, {"F64", torch::kFloat64}, {"F16", torch::kFloat16}, {"BF16", torch::kBFloat16},
    {"I64", torch::kInt64},   {"I32", torch::kInt32},   {"U8", torch::kUInt8},    {"BOOL", torch::kBool}};

/// Copies `bytes` of a file that begin at `from`, on all threads: most of the time goes into giving out pages
/// of memory.
void take(const MappedFile& mapped, std::uint64_t from, std::uint64_t bytes, void* into)
{
    constexpr std::int64_t piece = 16 << 20;
    at::parallel_for(0, std::int64_t(bytes), piece, [&](std::int64_t begin, std::int64_t end) {
        mapped.take(mapped.data() + from + begin, std::size_t(end - begin),
                    static_cast<std::byte*>(into) + begin);
    });
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

std::unordered_map<std::string_view, const torch::Tensor*> SafeTensors::byName() const
{
    std::unordered_map<std::string_view, const torch::Tensor*> all;
    for (const auto& [name, tensor] : tensors)
        all.emplace(name, &tensor);
    return all;
}

Result<SafeTensors> readSafeTensors(const std::filesystem::path& path)
{
    const std::string file = path.string();
    SPARSERL_TRY(const auto mapped, MappedFile::open(path));
    const std::string_view all = mapped.view();
    auto parsed = readSafeTensorsHeader(all, all.size(), file);
    SPARSERL_CHECK(mapped.whole());
    SPARSERL_TRY(auto header, std::move(parsed));
    SPARSERL_CHECK(checkMemory(all.size() - header.dataAt, file));
    SafeTensors content;
    content.metadata = std::move(header.metadata);
    for (const TensorEntry& entry : header.tensors) {
        const auto type = std::find_if(std::begin(typeNames), std::end(typeNames),
                                       [&](const TypeName& t) { return entry.type == t.name; });
        if (type == std::end(typeNames))
            return failAt(file, 0, "tensor " + entry.name + " has the unknown type " + entry.type);
        torch::Tensor tensor = torch::empty(entry.shape, type->type);
        take(mapped, header.dataAt + entry.begin, entry.end - entry.begin, tensor.data_ptr());
        content.tensors.emplace_back(entry.name, std::move(tensor));
    }
    SPARSERL_CHECK(mapped.whole());
    return content;
}

Status writeSafeTensors(const std::filesystem::path& path, const SafeTensors& content)
{
    SafeTensorsHeader header;
    header.metadata = content.metadata;
    std::vector<torch::Tensor> data;
    std::set<std::string> names;
    std::uint64_t at = 0;
    for (const auto& [name, tensor] : content.tensors) {
        data.push_back(tensor.detach().to(torch::kCPU).contiguous());
        const auto type = std::find_if(std::begin(typeNames), std::end(typeNames), [&](const TypeName& t) {
            return t.type == data.back().scalar_type();
        });
        if (type == std::end(typeNames))
            return failAt(path.string(), 0,
                          "tensor " + name + " has a type that safetensors files of ours do not hold");
        if (!names.insert(name).second)
            return failAt(path.string(), 0, "tensor " + name + " is given twice");
        const std::uint64_t bytes = data.back().nbytes();
        header.tensors.push_back({name, type->name, data.back().sizes().vec(), at, at + bytes});
        at += bytes;
    }
    const std::string text = formatSafeTensorsHeader(header);

    SPARSERL_TRY(auto file, OutputFile::create(path));
    file.put(text.data(), text.size());
    for (const torch::Tensor& tensor : data)
        file.put(tensor.data_ptr(), tensor.nbytes());
    return file.finish();
}

} // namespace sparserl
