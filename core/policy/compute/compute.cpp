// SPDX-License-Identifier: Apache-2.0
#include "policy/compute/compute.h"

#include "policy/compute/cuda_part.h"

#include <charconv>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// Attention by cuDNN makes a plan for every new shape, a tenth of a second each, and packed batches hardly
/// ever repeat one.
void chooseKernels()
{
    at::globalContext().setSDPUseCuDNN(false);
}

/// N of "cuda:N", 0 of "cuda".
Result<int> gpuNumber(const std::string& device)
{
    int number = 0;
    if (device == "cuda")
        return number;
    const std::string_view digits = std::string_view(device).substr(std::min<std::size_t>(device.size(), 5));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (!device.starts_with("cuda:") || error != std::errc() || end != digits.data() + digits.size() ||
        number < 0)
        return fail("there is no device \"" + device + "\"", "Use auto, cpu, cuda or cuda:N, such as cuda:1");
    return number;
}

} // namespace

std::string Compute::text() const
{
    return device.str() + (precision == torch::kBFloat16 ? ", bf16" : ", fp32");
}

Result<Compute> computeFor(const std::string& device, const std::string& precision)
{
    Compute compute;
    if (precision == "bf16")
        compute.precision = torch::kBFloat16;
    else if (precision != "fp32")
        return fail("there is no precision \"" + precision + "\"", "Use fp32 or bf16");
    if (device == "cpu")
        return compute;
    if (device == "auto") {
        if (usableGpus()) {
            compute.device = torch::Device(torch::kCUDA, 0);
            chooseKernels();
        }
        return compute;
    }
    SPARSERL_TRY(const int number, gpuNumber(device));
    SPARSERL_TRY(const int count, usableGpus());
    if (number >= count)
        return fail(fmt::format("there is no GPU {}: LibTorch can use {}", number, count),
                    fmt::format("Use cuda:0{}", count > 1 ? fmt::format(" to cuda:{}", count - 1) : ""));
    chooseKernels();
    compute.device = torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(number));
    return compute;
}

} // namespace sparserl
