// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/torch.h"

#include <string>

namespace sparserl {

/// Where a model computes and how.
struct Compute
{
    torch::Device device = torch::kCPU;
    /// Of the matrix products and attention inside the layers; norms, embeddings, the head and the residual
    /// stream are fp32.
    torch::ScalarType precision = torch::kFloat32;
    /// The operations that a GPU runs, on the CPU too: so tests on any machine see what a GPU will compute.
    bool plainOperations = false;
    /// Each layer keeps for the way back what went in and computes the rest again there, and so does the
    /// head: memory for time.
    bool recompute = false;

    /// Our own kernels, which are for fp32 on CPUs.
    bool kernels() const { return device.is_cpu() && precision == torch::kFloat32 && !plainOperations; }
    /// "cpu, fp32", "cuda:0, bf16".
    std::string text() const;
};

/// What `device` (auto, cpu, cuda, cuda:N) and `precision` (fp32, bf16) mean on this machine. "auto" is the
/// first GPU where LibTorch can use one, else the CPU. Fails where a GPU is asked for and cannot be used.
/// To be called before anything else of LibTorch is: its CUDA part is loaded here.
Result<Compute> computeFor(const std::string& device, const std::string& precision);

} // namespace sparserl
