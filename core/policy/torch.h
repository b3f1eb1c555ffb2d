// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this project uses of LibTorch's C++ interface: tensors, operators, automatic differentiation, guards.
// torch/torch.h also brings modules, optimizers, TorchScript and data loaders, and nearly doubles the time of
// every file (tests/benchmarks/build_time.md). This header is the one that is precompiled.
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>
