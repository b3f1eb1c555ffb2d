// SPDX-License-Identifier: Apache-2.0
// Speed of the matrix reader against C's fscanf and C++'s istream on the same file, of features and of
// density tiles. Usage: bench_matrix_read [ENTRIES]      CPU seconds of one thread, the best of three (peers:
// one run).
#include "base/files.h"
#include "base/time.h"
#include "matrix/density.h"
#include "matrix/features.h"
#include "matrix/generate.h"
#include "matrix/read.h"
#include "matrix/write.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iterator>

using namespace sparserl;

namespace {

double best(const std::function<void()>& work, int times = 3)
{
    double seconds = 1e300;
    for (int i = 0; i < times; ++i) {
        const double start = threadCpuSeconds();
        work();
        seconds = std::min(seconds, threadCpuSeconds() - start);
    }
    return seconds;
}

/// What the peers do: parse into arrays, nothing else. Ours also sorts into CSR and checks everything.
std::int64_t withFscanf(const std::string& path, bool pattern)
{
    std::FILE* file = std::fopen(path.c_str(), "r");
    char line[256];
    while (std::fgets(line, sizeof line, file) && line[0] == '%') {
    }
    std::vector<int> row;
    std::vector<int> col;
    std::vector<double> value;
    int r = 0;
    int c = 0;
    double v = 1;
    while (pattern ? std::fscanf(file, "%d %d", &r, &c) == 2
                   : std::fscanf(file, "%d %d %lg", &r, &c, &v) == 3) {
        row.push_back(r);
        col.push_back(c);
        value.push_back(v);
    }
    std::fclose(file);
    return static_cast<std::int64_t>(row.size());
}

std::int64_t withIstream(const std::string& path, bool pattern)
{
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line) && line.front() == '%') {
    }
    std::vector<int> row;
    std::vector<int> col;
    std::vector<double> value;
    int r = 0;
    int c = 0;
    double v = 1;
    while (pattern ? bool(file >> r >> c) : bool(file >> r >> c >> v)) {
        row.push_back(r);
        col.push_back(c);
        value.push_back(v);
    }
    return static_cast<std::int64_t>(row.size());
}

std::string text(const Csr& a, const std::string& field)
{
    std::string out = fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                                  field == "pattern" ? "pattern" : "real", a.rows, a.cols, a.nnz());
    for (std::int32_t r = 0; r < a.rows; ++r) {
        for (std::int32_t k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
            if (field == "pattern") {
                fmt::format_to(std::back_inserter(out), "{} {}\n", r + 1, a.col[k] + 1);
            } else if (field == "17 digits") {
                fmt::format_to(std::back_inserter(out), "{} {} {:.16e}\n", r + 1, a.col[k] + 1,
                               a.val[k] / 3.0);
            } else {
                fmt::format_to(std::back_inserter(out), "{} {} {}\n", r + 1, a.col[k] + 1, a.val[k]);
            }
        }
    }
    return out;
}

void benchmarkReading(const Csr& matrix, const std::filesystem::path& folder)
{
    fmt::print("{:<10} {:<10} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9}\n", "values", "file", "text MB", "ours",
               "fscanf", "istream", "x fscanf", "x istream");
    for (const std::string field : {"pattern", "9 digits", "17 digits"}) {
        const std::string contents = text(matrix, field);
        const double megabytes = static_cast<double>(contents.size()) / 1e6;
        const auto plain = folder / "m.mtx";
        std::ofstream(plain, std::ios::binary) << contents;
        const auto read = [](const std::filesystem::path& path) {
            const auto file = readMatrix(path);
            if (!file) {
                fmt::print(stderr, "{}\n", file.error().sentence());
                std::exit(1);
            }
        };
        const double ours = best([&] { read(plain); });
        const double c = best([&] { withFscanf(plain.string(), field == "pattern"); }, 1);
        const double cpp = best([&] { withIstream(plain.string(), field == "pattern"); }, 1);
        fmt::print("{:<10} {:<10} {:>9.1f} {:>8.0f} {:>9.0f} {:>9.0f} {:>9.1f} {:>9.1f}   MB/s\n", field,
                   "plain", megabytes, megabytes / ours, megabytes / c, megabytes / cpp, c / ours,
                   cpp / ours);
        const std::string command = fmt::format("gzip -1kf '{}'", plain.string());
        if (std::system(command.c_str()) == 0) {
            const double packed = best([&] { read(plain.string() + ".gz"); });
            fmt::print("{:<10} {:<10} {:>9.1f} {:>8.0f}\n", field, "gzip", megabytes, megabytes / packed);
        }
    }
}

} // namespace

int main(int argc, char** argv)
{
    const double entries = argc > 1 ? std::atof(argv[1]) : 5e6;
    auto dir = TempDir::create("bench");
    if (!dir || !(entries >= 1000)) {
        fmt::print(stderr, "usage: bench_matrix_read [ENTRIES]\n");
        return 2;
    }
    const auto side = static_cast<std::int64_t>(std::max(1.0, std::sqrt(entries / 5)));
    const std::vector<std::string> generators{
        fmt::format("stencil2d(n={})", side),
        fmt::format("random(rows={0},cols={0},mean=8)", std::llround(entries / 8)),
        fmt::format("rmat(scale={},degree=8)", std::llround(std::log2(entries / 8))),
        fmt::format("pruned(rows=4096,cols={},sparsity=0.9)", std::llround(entries / 409.6))};
    fmt::print("{:<44} {:>10} {:>10} {:>12} {:>12}\n", "matrix", "non-zeros", "features s", "pyramid s",
               "tile 800^2 s");
    for (const auto& generator : generators) {
        const auto matrix = generate(generator);
        if (!matrix) {
            fmt::print(stderr, "{}\n", matrix.error().sentence());
            return 1;
        }
        const double features = best([&] { (void)computeFeatures(*matrix); });
        const double pyramid = best([&] { (void)buildDensityPyramid(*matrix); });
        const double tile = best([&] {
            (void)densityTile(*matrix, matrix->rows / 4, matrix->rows / 2, matrix->cols / 4, matrix->cols / 2,
                              800, 800);
        });
        fmt::print("{:<44} {:>10} {:>10.3f} {:>12.3f} {:>12.3f}\n", generator, matrix->nnz(), features,
                   pyramid, tile);
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const auto matrix = generate(generators[i]);
        fmt::print("\nreading {}\n", generators[i]);
        benchmarkReading(*matrix, dir->path());
    }
    return 0;
}
