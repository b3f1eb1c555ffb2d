// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/torch.h"

#include <string>

namespace sparserl {

/// The device and precision of a model's computation.
struct Compute
{
    torch::Device device = torch::kCPU;
    /// Precision of the matrix products and attention inside the layers. Norms, embeddings, the head and the
    /// residual stream are fp32.
    torch::ScalarType precision = torch::kFloat32;
    /// Uses the GPU's operations on the CPU too, which lets tests on any machine check the GPU's computation.
    bool plainOperations = false;
    /// Layers and the head keep only their inputs and recompute the rest in the backward pass: saves memory,
    /// costs time.
    bool recompute = false;

    /// Whether to use our own kernels, which support fp32 on CPUs.
    bool kernels() const { return device.is_cpu() && precision == torch::kFloat32 && !plainOperations; }
    /// "cpu, fp32", "cuda:0, bf16".
    std::string text() const;
};

/// Resolves `device` (auto, cpu, cuda, cuda:N) and `precision` (fp32, bf16) on this machine. "auto" is the
/// first usable GPU, otherwise the CPU. Fails if a requested GPU is not usable. Call it before any other
/// LibTorch function, because it loads LibTorch's CUDA part.
Result<Compute> computeFor(const std::string& device, const std::string& precision);

} // namespace sparserl
