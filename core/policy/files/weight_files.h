// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/files/safetensors.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// The weights in a Hugging Face directory.
struct WeightFiles
{
    SafeTensors content;
    std::filesystem::path file; ///< The only file, or the index; for messages.
    int files = 0;

    /// Returns the tensor of this name, or null if there is none.
    torch::Tensor* find(const std::string& name);
    /// Adds a tensor, or replaces the tensor that has this name.
    void put(const std::string& name, const torch::Tensor& tensor);
    void drop(const std::string& name);
};

/// Reads model.safetensors, or model.safetensors.index.json and its shards. Fails if a tensor is not in the
/// shard that the index names, or if its numbers are not floating-point numbers.
Result<WeightFiles> readWeightFiles(const std::filesystem::path& directory, const CancelToken& cancel);

/// Returns whether all numbers of a tensor are finite in single precision, in which weights are loaded. Needs
/// little additional memory.
bool allFinite(const torch::Tensor& tensor);

/// Fails if the sizes in config.json are too large for the stored weights. `leastWeights` is the least number
/// of weights of a model with these sizes. Call it before you create the model.
Status checkEnoughWeights(double leastWeights, const SafeTensors& content, const std::string& file);

} // namespace sparserl
