// SPDX-License-Identifier: Apache-2.0
// Runs the kernel on small matrices and on the matrix of the bundle, and compares with fp64 on the CPU.
#include "conversion.h"
#include "sparserl_kernel.h"

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

namespace {

const char* const matrix_digest = "@MATRIX_DIGEST@";
const std::uint64_t matrix_checksum = @MATRIX_CHECKSUM@ull;
const int dense_cols = @DENSE_COLS@;

struct Matrix
{
    std::int32_t rows = 0, cols = 0;
    std::vector<std::int32_t> row_ptr{0}, col;
    std::vector<float> val;
};

std::uint64_t fnv1a(std::uint64_t hash, const void* data, std::size_t bytes)
{
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i)
        hash = (hash ^ p[i]) * 1099511628211ull;
    return hash;
}

std::uint64_t checksum(const Matrix& m)
{
    std::uint64_t hash = fnv1a(14695981039346656037ull, m.row_ptr.data(), 4 * m.row_ptr.size());
    hash = fnv1a(hash, m.col.data(), 4 * m.col.size());
    return fnv1a(hash, m.val.data(), 4 * m.val.size());
}

bool load(const char* path, Matrix& m)
{
    std::ifstream file(path, std::ios::binary);
    std::int64_t header[4] = {};
    file.read(reinterpret_cast<char*>(header), sizeof header);
    if (!file || header[0] != 0x3152534353505253) // "SRPSCSR1"
        return false;
    m.rows = static_cast<std::int32_t>(header[1]);
    m.cols = static_cast<std::int32_t>(header[2]);
    m.row_ptr.resize(static_cast<std::size_t>(m.rows) + 1);
    m.col.resize(static_cast<std::size_t>(header[3]));
    m.val.resize(m.col.size());
    file.read(reinterpret_cast<char*>(m.row_ptr.data()), static_cast<std::streamsize>(4 * m.row_ptr.size()));
    file.read(reinterpret_cast<char*>(m.col.data()), static_cast<std::streamsize>(4 * m.col.size()));
    file.read(reinterpret_cast<char*>(m.val.data()), static_cast<std::streamsize>(4 * m.val.size()));
    return static_cast<bool>(file);
}

std::uint64_t state = 12345;
double draw() // in [-1, 1)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state >> 11) / 4503599627370496.0 - 1.0;
}

/// Few diagonals, empty rows, one long row: every storage format applies.
Matrix small_matrix(std::int32_t rows, std::int32_t cols)
{
    Matrix m;
    m.rows = rows;
    m.cols = cols;
    for (std::int32_t r = 0; r < rows; ++r) {
        for (std::int32_t c = 0; c < cols; ++c) {
            const bool near = c >= r - 2 && c <= r + 3 && r % 7 != 3;
            if (near || (r == rows / 2 && c % 3 == 0)) {
                m.col.push_back(c);
                m.val.push_back(static_cast<float>(draw()));
            }
        }
        m.row_ptr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    return m;
}

bool fail(const char* name, const char* what)
{
    std::printf("FAILED  %s: %s\n", name, what);
    return false;
}

bool test(const char* name, const Matrix& m)
{
    sparserl_handle* handle = nullptr;
    if (sparserl_@TASK@_create(&handle, m.rows, m.cols, m.row_ptr.data(), m.col.data(), m.val.data(), dense_cols) != 0)
        return fail(name, sparserl_@TASK@_error());
    const std::size_t n = static_cast<std::size_t>(dense_cols);
    std::vector<float> x(static_cast<std::size_t>(m.cols) * n), y(static_cast<std::size_t>(m.rows) * n);
    for (float& value : x)
        value = static_cast<float>(draw());
    float *dx = nullptr, *dy = nullptr;
    cudaMalloc(&dx, x.size() * 4 + 4);
    cudaMalloc(&dy, y.size() * 4 + 4);
    cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
    cudaMemset(dy, 0xff, y.size() * 4); // NaN: what is not written shows.
    int status = sparserl_@TASK@_run(handle, dx, dy, nullptr);
    if (cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost) != cudaSuccess || status != 0)
        return fail(name, status != 0 ? sparserl_@TASK@_error() : "the kernel did not finish");

    double worst = 0;
    for (std::int32_t r = 0; r < m.rows; ++r) {
        for (std::size_t j = 0; j < n; ++j) {
            double exact = 0, magnitude = 0;
            for (std::int32_t i = m.row_ptr[r]; i < m.row_ptr[r + 1]; ++i) {
                const double term = double(m.val[i]) * x[static_cast<std::size_t>(m.col[i]) * n + j];
                exact += term;
                magnitude += std::fabs(term);
            }
            const double bound = 4 * std::ldexp(1.0, -24) * (m.row_ptr[r + 1] - m.row_ptr[r] + 2) * magnitude;
            const double error = std::fabs(y[static_cast<std::size_t>(r) * n + j] - exact);
            if (!(error <= bound)) {
                std::printf("FAILED  %s: row %d is %.9g, expected %.9g within %.3g\n", name, r,
                            double(y[static_cast<std::size_t>(r) * n + j]), exact, bound);
                return false;
            }
            worst = std::max(worst, bound > 0 ? error / bound : 0);
        }
    }

    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times;
    for (int i = 0; i < 110; ++i) {
        cudaEventRecord(begin);
        sparserl_@TASK@_run(handle, dx, dy, nullptr);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        if (i >= 10)
            times.push_back(ms * 1000);
    }
    std::sort(times.begin(), times.end());
    std::printf("ok      %s: %d x %d, %zu non-zeros; error at most %.2f of the bound; median %.2f us per call\n", name,
                m.rows, m.cols, m.col.size(), worst, times[times.size() / 2]);
    cudaFree(dx);
    cudaFree(dy);
    sparserl_@TASK@_destroy(handle);
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    bool good = test("square", small_matrix(257, 257));
    good = test("wide", small_matrix(65, 400)) && good;
    good = test("tall", small_matrix(300, 31)) && good;
    good = test("one row", small_matrix(1, 100)) && good;
    Matrix m;
    const char* path = argc > 1 ? argv[1] : "matrix.csr";
    if (load(path, m)) {
        if (checksum(m) != matrix_checksum) {
            std::printf("FAILED  %s is not the matrix this kernel was chosen for (digest %s)\n", path, matrix_digest);
            good = false;
        } else {
            good = test("@MATRIX_NAME@", m) && good;
        }
    } else {
        std::printf("skipped the matrix of the bundle: %s is not there (digest %s)\n", path, matrix_digest);
    }
    return good ? 0 : 1;
}
