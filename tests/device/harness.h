// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "matrix/csr.h"

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Builds bound plans by hand and runs PTX on the simulated device; for tests and benchmarks of the
/// simulator.
namespace sparserl::harness {

inline std::string fixture(const std::string& name)
{
    std::ifstream file(std::string(SPARSERL_SOURCE_DIR) + "/tests/device/data/" + name);
    std::stringstream text;
    text << file.rdbuf();
    if (text.str().empty())
        throw std::runtime_error("no fixture " + name);
    return text.str();
}

template <class T>
constexpr ElementType elementType()
{
    if constexpr (std::is_same_v<T, float>)
        return ElementType::F32;
    else if constexpr (std::is_same_v<T, double>)
        return ElementType::F64;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return ElementType::I32;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return ElementType::U32;
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return ElementType::I64;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return ElementType::U16;
    else
        return ElementType::U8;
}

/// A plan in the making and what is needed to run it.
struct Bench
{
    BoundPlan plan;
    ptx::Module module;
    ExecutionRequest request;

    explicit Bench(const std::string& text)
    {
        auto parsed = ptx::parse(text);
        if (!parsed)
            throw std::runtime_error(parsed.error().what + " at line " + std::to_string(parsed.error().line));
        module = std::move(*parsed);
    }
    int add(BoundBuffer buffer)
    {
        plan.buffers.push_back(std::move(buffer));
        return static_cast<int>(plan.buffers.size()) - 1;
    }
    template <class T>
    int matrix(const std::string& name, const std::vector<T>& data)
    {
        BoundBuffer buffer;
        buffer.name = name;
        buffer.type = elementType<T>();
        buffer.count = static_cast<std::int64_t>(data.size());
        buffer.data.resize(data.size() * sizeof(T));
        if (!data.empty())
            std::memcpy(buffer.data.data(), data.data(), buffer.data.size());
        return add(std::move(buffer));
    }
    int buffer(const std::string& name, BufferRole role, ElementType type, std::int64_t count,
               bool zero = false)
    {
        BoundBuffer result;
        result.name = name;
        result.role = role;
        result.type = type;
        result.count = count;
        result.zero = zero;
        return add(std::move(result));
    }
    int x(std::int64_t count) { return buffer("x", BufferRole::Input, ElementType::F32, count); }
    int y(std::int64_t count, bool zero = false)
    {
        return buffer("y", BufferRole::Output, ElementType::F32, count, zero);
    }
    BoundCall& launch(const std::string& kernel, std::int64_t grid, std::int64_t block,
                      std::vector<BoundArgument> arguments, std::int64_t shared = 0)
    {
        BoundCall call;
        call.kernel = kernel;
        call.grid = {grid, 1, 1};
        call.block = {block, 1, 1};
        call.dynamicSharedBytes = shared;
        call.arguments = std::move(arguments);
        call.line = static_cast<int>(plan.launches.size()) + 1;
        plan.launches.push_back(std::move(call));
        return plan.launches.back();
    }
    ExecutionResult run(const std::vector<float>& input, std::uint64_t seed = 1, Checks checks = Checks::All)
    {
        request.plan = &plan;
        request.module = &module;
        request.inputs = {denseInput(Task::SpMV, input)};
        request.seed = seed;
        request.checks = checks;
        auto result = SimulatedDevice().execute(request);
        if (!result)
            throw std::runtime_error(result.error().what);
        return std::move(*result);
    }
};

/// y of a call.
inline std::vector<float> floats(const CallOutputs& outputs)
{
    const auto values = denseOutput(Task::SpMV, outputs);
    return {values.begin(), values.end()};
}
/// y of each call.
inline std::vector<std::vector<float>> floats(const std::vector<CallOutputs>& calls)
{
    std::vector<std::vector<float>> all;
    for (const CallOutputs& outputs : calls)
        all.push_back(floats(outputs));
    return all;
}

inline BoundArgument array(int index)
{
    return BufferRef{index};
}
inline BoundArgument number(std::int64_t value)
{
    return value;
}

/// A small CSR matrix for kernels under test.
struct TestMatrix
{
    std::vector<std::int32_t> rowPtr{0}, col;
    std::vector<float> val;
    int rows = 0, cols = 0;
    std::vector<float> multiply(const std::vector<float>& x) const
    {
        std::vector<float> y(rows);
        for (int r = 0; r < rows; ++r) {
            double sum = 0;
            for (int j = rowPtr[r]; j < rowPtr[r + 1]; ++j)
                sum += double(val[j]) * double(x[col[j]]);
            y[r] = static_cast<float>(sum);
        }
        return y;
    }
};

/// Row lengths in [low, high], random ascending columns, small integer values: every order of summation is
/// exact.
inline TestMatrix randomMatrix(int rows, int cols, int low, int high, std::uint64_t seed)
{
    TestMatrix m;
    m.rows = rows;
    m.cols = cols;
    auto next = [&seed]() {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(seed >> 33);
    };
    for (int r = 0; r < rows; ++r) {
        const int length =
            std::min(cols, low + static_cast<int>(next() % static_cast<unsigned>(high - low + 1)));
        // One column from each of `length` equal strips keeps them ascending and distinct.
        for (int k = 0; k < length; ++k) {
            const std::int64_t from = std::int64_t(cols) * k / length,
                               to = std::int64_t(cols) * (k + 1) / length;
            m.col.push_back(static_cast<std::int32_t>(from + next() % static_cast<unsigned>(to - from)));
            m.val.push_back(static_cast<float>(static_cast<int>(next() % 7) - 3));
        }
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    return m;
}

inline Csr csrOf(const TestMatrix& m)
{
    Csr csr;
    csr.rows = m.rows;
    csr.cols = m.cols;
    csr.rowPtr = m.rowPtr;
    csr.col = m.col;
    csr.val = m.val;
    return csr;
}

} // namespace sparserl::harness
