// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/files/safetensors.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// The weights of a Hugging Face directory and where they came from.
struct WeightFiles
{
    SafeTensors content;
    std::filesystem::path file; ///< For sentences: the only file, or the index.
    int files = 0;

    /// Null where there is none of that name.
    torch::Tensor* find(const std::string& name);
    /// Adds a tensor, or takes the place of the one of that name.
    void put(const std::string& name, const torch::Tensor& tensor);
    void drop(const std::string& name);
};

/// Reads model.safetensors, or model.safetensors.index.json with its shards, each read once; every tensor
/// must be where the index says, and all must be of floating-point numbers.
Result<WeightFiles> readWeightFiles(const std::filesystem::path& directory, const CancelToken& cancel);

/// Whether all numbers of a tensor are finite in single precision, which weights are read in. Takes little
/// memory besides.
bool allFinite(const torch::Tensor& tensor);

/// Refuses sizes of config.json that the weights cannot fill, before a model of them is begun.
/// `leastWeights`: how many such a model has at least.
Status checkEnoughWeights(double leastWeights, const SafeTensors& content, const std::string& file);

} // namespace sparserl
