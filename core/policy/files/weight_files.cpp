// SPDX-License-Identifier: Apache-2.0
#include "policy/files/weight_files.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/json.h"

#include <ATen/Parallel.h>
#include <atomic>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <set>

namespace sparserl {

torch::Tensor* WeightFiles::find(const std::string& name)
{
    for (auto& [known, tensor] : content.tensors) {
        if (known == name)
            return &tensor;
    }
    return nullptr;
}

void WeightFiles::put(const std::string& name, const torch::Tensor& tensor)
{
    if (torch::Tensor* there = find(name))
        *there = tensor;
    else
        content.tensors.emplace_back(name, tensor);
}

void WeightFiles::drop(const std::string& name)
{
    std::erase_if(content.tensors, [&](const auto& entry) { return entry.first == name; });
}

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* weightsFile = "model.safetensors";
constexpr const char* indexFile = "model.safetensors.index.json";
const std::string together = "Take all files from the same model";

bool fileExists(const fs::path& file)
{
    return glance(file).exists;
}

/// The shards that an index names, each read once; every tensor must be where the index says.
Result<WeightFiles> readShards(const fs::path& directory, const CancelToken& cancel)
{
    WeightFiles weights;
    weights.file = directory / indexFile;
    SPARSERL_TRY(const json index, readJson(weights.file));
    const auto wrong = [&](const std::string& what) {
        return failAt(weights.file.string(), 0, what, together);
    };
    const json map = index.is_object() ? index.value("weight_map", json()) : json();
    if (!map.is_object() || map.empty())
        return wrong("the index has no \"weight_map\" that says in which file each tensor is");
    std::map<std::string, std::set<std::string>> namesOf;
    for (const auto& [name, shard] : map.items()) {
        const std::string file = shard.is_string() ? shard.get<std::string>() : std::string();
        if (file.empty() || fs::path(file).filename() != fs::path(file) || file == "." || file == "..")
            return wrong(fmt::format("tensor {} is not in a file of this directory", name));
        namesOf[file].insert(name);
    }
    for (const auto& [file, names] : namesOf) {
        if (cancel.cancelled())
            return fail(interruption());
        if (!fileExists(directory / file))
            return wrong(fmt::format("the shard {} is missing", file));
        SPARSERL_TRY(auto content, readSafeTensors(directory / file));
        std::size_t found = 0;
        for (auto& [name, tensor] : content.tensors) {
            if (!names.contains(name))
                return failAt((directory / file).string(), 0,
                              fmt::format("the index does not list tensor {} for this file", name), together);
            ++found;
            weights.content.tensors.emplace_back(name, std::move(tensor));
        }
        if (found != names.size())
            return failAt((directory / file).string(), 0,
                          fmt::format("{} of {} tensors that the index says are here are missing",
                                      names.size() - found, names.size()),
                          together);
        ++weights.files;
    }
    return weights;
}

Result<WeightFiles> readFiles(const fs::path& directory, const CancelToken& cancel)
{
    if (fileExists(directory / weightsFile)) {
        WeightFiles weights;
        weights.file = directory / weightsFile;
        weights.files = 1;
        SPARSERL_TRY(weights.content, readSafeTensors(weights.file));
        return weights;
    }
    if (fileExists(directory / indexFile))
        return readShards(directory, cancel);
    for (const char* pickled : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
        if (fileExists(directory / pickled))
            return failAt(
                (directory / pickled).string(), 0,
                "weights in a pickled file are not read, because reading it would run code in it",
                "Convert them: T5ForConditionalGeneration.from_pretrained(DIR).save_pretrained(OTHER, "
                "safe_serialization=True) of Python's transformers");
    }
    return failAt(directory.string(), 0,
                  fmt::format("there are no weights: neither {} nor {}", weightsFile, indexFile),
                  "Give a Hugging Face directory with config.json, its weights and its tokenizer");
}

} // namespace

Result<WeightFiles> readWeightFiles(const fs::path& directory, const CancelToken& cancel)
{
    SPARSERL_TRY(auto weights, readFiles(directory, cancel));
    if (cancel.cancelled())
        return fail(interruption());
    for (const auto& [name, tensor] : weights.content.tensors) {
        if (!tensor.is_floating_point())
            return failAt(weights.file.string(), 0,
                          "tensor " + name + " is not made of floating-point numbers",
                          "Quantised models are not read; take one in fp32, fp16 or bf16");
    }
    return weights;
}

namespace {

/// Whether a number of `bits` is finite: whether not all bits of its exponent are set.
template <typename Bits>
bool finiteBits(const void* data, std::int64_t count, Bits exponent)
{
    constexpr std::int64_t piece = 1 << 18;
    std::atomic<bool> finite{true};
    const auto* bits = static_cast<const Bits*>(data);
    at::parallel_for(0, count, piece, [&](std::int64_t begin, std::int64_t end) {
        Bits found = 0; // without a branch, so that the loop is vectorised
        for (std::int64_t i = begin; i < end; ++i)
            found |= Bits((bits[i] & exponent) == exponent);
        if (found != 0)
            finite = false;
    });
    return finite;
}

} // namespace

bool allFinite(const torch::Tensor& tensor)
{
    if (!tensor.is_cpu())
        return tensor.to(torch::kFloat32).isfinite().all().item<bool>();
    const torch::Tensor flat = tensor.contiguous();
    const void* data = flat.const_data_ptr();
    switch (flat.scalar_type()) {
    case torch::kBFloat16:
        return finiteBits<std::uint16_t>(data, flat.numel(), 0x7f80);
    case torch::kFloat16:
        return finiteBits<std::uint16_t>(data, flat.numel(), 0x7c00);
    case torch::kFloat32:
        return finiteBits<std::uint32_t>(data, flat.numel(), 0x7f800000);
    default:
        return flat.to(torch::kFloat32).isfinite().all().item<bool>();
    }
}

Status checkEnoughWeights(double leastWeights, const SafeTensors& content, const std::string& file)
{
    double bytes = 0;
    for (const auto& [name, tensor] : content.tensors)
        bytes += static_cast<double>(tensor.nbytes());
    if (2 * leastWeights > bytes) // a weight has two bytes at least
        return failAt(file, 0, "the file has fewer weights than a model of the sizes in config.json",
                      "Take both files from the same checkpoint");
    return {};
}

} // namespace sparserl
