// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/files/safetensors.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// The weights of a Hugging Face directory and their origin.
struct WeightFiles
{
    SafeTensors content;
    std::filesystem::path file; ///< For messages: the only file, or the index.
    int files = 0;

    /// null if there is no tensor of this name.
    torch::Tensor* find(const std::string& name);
    /// Adds a tensor, or replaces the tensor of this name.
    void put(const std::string& name, const torch::Tensor& tensor);
    void drop(const std::string& name);
};

/// Reads model.safetensors, or model.safetensors.index.json with its shards, each once. Every tensor must be
/// in the shard named by the index and have floating-point numbers.
Result<WeightFiles> readWeightFiles(const std::filesystem::path& directory, const CancelToken& cancel);

/// Whether all numbers of a tensor are finite in single precision, the precision of loaded weights. Uses
/// little additional memory.
bool allFinite(const torch::Tensor& tensor);

/// Refuses sizes in config.json that exceed the stored weights, before the model is built. `leastWeights`:
/// minimum number of weights of a model with these sizes.
Status checkEnoughWeights(double leastWeights, const SafeTensors& content, const std::string& file);

} // namespace sparserl
