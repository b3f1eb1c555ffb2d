// SPDX-License-Identifier: Apache-2.0
#include "statements.h"

#include "base/files.h"

#include <QtGlobal>
#include <algorithm>

namespace sparserl {

namespace {

const std::string plan = "//! task spmv\n//! const T = 8\n"
                         "//! launch k<<<1, 1>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)\n";
const std::string before =
    "static __device__ float f1(float a, int b = 2) { return a + b; }\n"
    "static __device__ void f0() {}\n"
    "__constant__ float table[4] = {1, 2, 3, 4};\n"
    "extern \"C\" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, "
    "float* y) {\n"
    "int i = 0, a[4] = {}; unsigned u = 3; float f = 1, m[2][3]; double d = 2; bool b = true;\n"
    "float4 q = make_float4(1, 2, 3, 4); float* fp = y; const float4* qp = (const float4*)x; long long ll = "
    "1;\n"
    "char ch = 2; short sh = 2; size_t z = 2; int2 i2; dim3 dd; __shared__ float s[32];\n";

std::string textOf(const std::filesystem::path& path)
{
    auto text = readFile(path);
    if (!text)
        qFatal("%s", text.error().sentence().c_str());
    return std::move(*text);
}

std::vector<std::string> split(const std::string& text, const std::string& separator)
{
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        if (end > at)
            pieces.push_back(text.substr(at, end - at));
        at = end + separator.size();
    }
    return pieces;
}

} // namespace

std::vector<std::string> statementLines(const std::string& name)
{
    return split(textOf(SPARSERL_SOURCE_DIR "/tests/kernel/data/" + name), "\n");
}

std::string programOf(std::span<const std::string> statements)
{
    std::string program = plan + before;
    for (const std::string& statement : statements)
        program += "{ " + statement + " }\n";
    return program + "}\n";
}

std::vector<std::string> styledPrograms()
{
    auto files = listDirectory(SPARSERL_SOURCE_DIR "/tests/kernel/data/styles");
    if (!files)
        qFatal("%s", files.error().sentence().c_str());
    std::sort(files->begin(), files->end());
    std::vector<std::string> programs;
    for (const auto& file : *files) {
        for (const std::string& text : split(textOf(file), "\n--------\n"))
            programs.push_back((text.substr(0, 3) == "//!" ? "" : plan) + text + "\n");
    }
    return programs;
}

} // namespace sparserl
