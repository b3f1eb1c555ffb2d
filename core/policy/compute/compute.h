// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/torch.h"

#include <string>

namespace sparserl {

/// The device on which a model computes, and the precision.
struct Compute
{
    torch::Device device = torch::kCPU;
    /// The precision of the matrix products and of attention inside the layers. Norms, embeddings, the head
    /// and the residual stream are fp32.
    torch::ScalarType precision = torch::kFloat32;
    /// Whether to use the operations for GPUs on the CPU, too, so that tests can check them on any machine.
    bool plainOperations = false;
    /// Whether layers and the head keep only their inputs and compute the rest again in the backward pass.
    /// This saves memory and takes more time.
    bool recompute = false;

    /// Returns whether to use our own kernels, which support fp32 on CPUs.
    bool kernels() const { return device.is_cpu() && precision == torch::kFloat32 && !plainOperations; }
    /// Returns a text such as "cpu, fp32" or "cuda:0, bf16".
    std::string text() const;
};

/// Converts `device` (auto, cpu, cuda, cuda:N) and `precision` (fp32, bf16) to a Compute for this machine.
/// "auto" stands for the first usable GPU, or for the CPU if there is none. Fails if a requested GPU is not
/// usable. Call it before any other LibTorch function, because it loads LibTorch's CUDA part.
Result<Compute> computeFor(const std::string& device, const std::string& precision);

} // namespace sparserl
