// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of LibTorch's C++ interface that this project uses: tensors, operators, automatic differentiation
// and guards. This header is precompiled. torch/torch.h also includes modules, optimizers, TorchScript and
// data loaders, and nearly doubles the compile time of every file (tests/benchmarks/build_time.md).
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>
