// SPDX-License-Identifier: Apache-2.0
// What a bundle's plan.cpp builds on: device arrays and launches of one converted matrix.
#pragma once

#include "conversion.h"
#include "conversion_blocked.h"
#include "conversion_parts.h"

#include <cuda_runtime.h>

#include <string>
#include <vector>

namespace sparserl_bundle {

/// Arithmetic of launch plans.
std::int64_t quotient(std::int64_t a, std::int64_t b);
std::int64_t remainder(std::int64_t a, std::int64_t b);
std::int64_t ceil_div(std::int64_t a, std::int64_t b);
std::int64_t pow2_ceil(std::int64_t a);

struct Argument
{
    enum Kind { Number, Array, Input, Output } kind = Number;
    std::int64_t value = 0; ///< The number, or the index of the array.
};

struct Extents
{
    std::int64_t x = 1, y = 1, z = 1;
};

/// Device memory and calls of one matrix. Throws std::runtime_error where CUDA refuses.
class Plan
{
public:
    Plan() = default;
    ~Plan();
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    static std::int64_t sm_count();
    template<typename T>
    Argument upload(const std::vector<T>& values)
    {
        return upload(values.data(), values.size() * sizeof(T));
    }
    Argument upload(const void* data, std::size_t bytes);
    Argument scratch(std::int64_t count, std::int64_t bytes_each, bool zero);
    static Argument number(std::int64_t value) { return {Argument::Number, value}; }
    static Argument input() { return {Argument::Input, 0}; }
    static Argument output() { return {Argument::Output, 0}; }
    /// A buffer that only says which sizes the program is for.
    static void require(const char* name, std::int64_t count)
    {
        if (count < 0)
            throw std::runtime_error(std::string("this kernel does not apply: the plan's '") + name +
                                     "' has a negative size; exported kernels keep the number of dense columns");
    }
    void zero_output(std::int64_t bytes) { m_zero_output = bytes; }

    void prepare(const void* kernel, Extents grid, Extents block, std::int64_t shared, std::vector<Argument> arguments);
    void launch(const void* kernel, Extents grid, Extents block, std::int64_t shared, std::vector<Argument> arguments);

    void run(const float* input, float* output, cudaStream_t stream) const;

private:
    struct Call
    {
        const void* kernel;
        dim3 grid, block;
        std::size_t shared;
        std::vector<Argument> arguments;
    };
    struct Buffer
    {
        void* data;
        std::size_t bytes;
        bool zero; ///< Before every run.
    };
    static bool make_call(const void* kernel, Extents grid, Extents block, std::int64_t shared,
                          std::vector<Argument> arguments, Call& call);
    void start(const Call& call, const float* input, float* output, cudaStream_t stream) const;

    std::vector<Buffer> m_buffers;
    std::vector<Call> m_launches;
    std::int64_t m_zero_output = 0;
};

/// In plan.cpp: conversion, arrays and calls of this bundle's program.
void build_plan(Plan& plan, const Csr& a, std::int64_t dense_cols);

} // namespace sparserl_bundle
