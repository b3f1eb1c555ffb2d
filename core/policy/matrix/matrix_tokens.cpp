// SPDX-License-Identifier: Apache-2.0
#include "policy/matrix/matrix_tokens.h"

#include "base/rng.h"
#include "matrix/sampled_entries.h"
#include "policy/files/json_members.h"
#include "policy/matrix/quadtree.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr int structureExtras = 5;
constexpr int quadExtras = 4;
constexpr std::string_view modeNames[] = {
    "raw", "maxmin", "sinusoidal", "sinusoidal+structure", "quadtree", "quadtree-attention"};

bool isQuadtree(EmbeddingMode mode)
{
    return mode == EmbeddingMode::Quadtree || mode == EmbeddingMode::QuadtreeAttention;
}

/// An entry of a quad-tree: [PE(row) | PE(col) | opens, closes, leaf | log2(side) / 32], where row and column
/// are the first of the node's square. One-to-one: the entries tell the tree.
void putQuadNode(const QuadNode& node, QuadStep::Kind kind, int peDim, float* out)
{
    sinusoid(node.row, peDim, out);
    sinusoid(node.col, peDim, out + peDim);
    out[2 * peDim + static_cast<int>(kind)] = 1.0f;
    out[2 * peDim + 3] = static_cast<float>(node.log2Side) / 32;
}

/// Fewer non-zeros than entries, since the inner nodes are entries too.
MatrixTokens quadTokens(const Csr& matrix, const EmbeddingConfig& config, Rng& rng)
{
    const bool walk = config.mode == EmbeddingMode::Quadtree;
    const int leaves = walk ? (config.maxEntries + 2) / 3 : (config.maxEntries + 1) / 2;
    MatrixTokens tokens;
    for (const std::int64_t k : sampleUniform(matrix.nnz(), leaves, rng)) {
        tokens.rows.push_back(rowOfEntry(matrix, k));
        tokens.cols.push_back(matrix.col[static_cast<std::size_t>(k)]);
    }
    const auto tree = quadTree(tokens.rows, tokens.cols);
    const auto width = static_cast<std::size_t>(config.entryWidth());
    const auto put = [&](std::int32_t node, QuadStep::Kind kind) {
        tokens.entries.resize(tokens.entries.size() + width);
        putQuadNode(tree[static_cast<std::size_t>(node)], kind, config.peDim,
                    tokens.entries.data() + tokens.entries.size() - width);
        ++tokens.count;
    };
    if (walk) {
        for (const QuadStep& step : quadWalk(tree))
            put(step.node, step.kind);
    } else {
        for (std::size_t i = 0; i < tree.size(); ++i) {
            put(static_cast<std::int32_t>(i), tree[i].leaf ? QuadStep::Kind::Leaf : QuadStep::Kind::Open);
            tokens.parents.push_back(tree[i].parent);
        }
    }
    if (tokens.count == 0) {
        tokens.count = 1;
        tokens.entries.assign(width, 0.0f);
        if (!walk)
            tokens.parents = {-1};
    }
    return tokens;
}

double scaledLog2(double value, double scale)
{
    return std::log2(1.0 + value) / scale;
}

} // namespace

std::string_view nameOf(EmbeddingMode mode)
{
    return modeNames[static_cast<int>(mode)];
}

Result<EmbeddingMode> embeddingModeFromName(std::string_view name)
{
    for (int i = 0; i < int(std::size(modeNames)); ++i) {
        if (modeNames[i] == name)
            return static_cast<EmbeddingMode>(i);
    }
    return fail(fmt::format("there is no matrix embedding \"{}\"", name),
                fmt::format("Use one of {}", fmt::join(modeNames, ", ")));
}

int EmbeddingConfig::entryWidth() const
{
    switch (mode) {
    case EmbeddingMode::Raw:
    case EmbeddingMode::MaxMin:
        return 2;
    case EmbeddingMode::Sinusoidal:
        return 2 * peDim;
    case EmbeddingMode::SinusoidalStructure:
        return 2 * peDim + structureExtras;
    case EmbeddingMode::Quadtree:
    case EmbeddingMode::QuadtreeAttention:
        return 2 * peDim + quadExtras;
    }
    return 0;
}

int EmbeddingConfig::featureWidth() const
{
    return mode == EmbeddingMode::SinusoidalStructure && featureTokens > 0 ? structureFeatureCount : 0;
}

Status EmbeddingConfig::check() const
{
    if (maxEntries < 1 || maxEntries > 65536)
        return fail(fmt::format("the matrix embedding samples {} entries", maxEntries), "Give 1 to 65536");
    if (peDim < 2 || peDim % 2 != 0 || peDim > 65536)
        return fail(fmt::format("the positional encoding is {} wide", peDim),
                    "Give an even number from 2 on");
    if (maxRows < 0 || maxCols < 0)
        return fail(fmt::format("the largest matrix has {} rows and {} columns", maxRows, maxCols),
                    "Give positive numbers");
    if (featureTokens < 0 || featureTokens > 64)
        return fail(fmt::format("there are {} feature tokens", featureTokens), "Give 0 to 64");
    return {};
}

nlohmann::json toJson(const EmbeddingConfig& config)
{
    nlohmann::json json{{"mode", nameOf(config.mode)},
                        {"max_entries", config.maxEntries},
                        {"pe_dim", config.peDim},
                        {"feature_tokens", config.featureTokens}};
    if (config.maxRows > 0 && config.maxCols > 0) {
        json["max_rows"] = config.maxRows;
        json["max_cols"] = config.maxCols;
    }
    return json;
}

Result<EmbeddingConfig> embeddingConfigFromJson(const nlohmann::json& json)
{
    EmbeddingConfig config;
    JsonMembers members(json);
    std::string name;
    members.required("mode", name);
    members.required("max_entries", config.maxEntries);
    members.required("pe_dim", config.peDim);
    members.required("feature_tokens", config.featureTokens);
    members.optional("max_rows", config.maxRows);
    members.optional("max_cols", config.maxCols);
    if (!members.status())
        return fail("the matrix embedding cannot be used: " + members.status().error().what,
                    "Use a policy that this program has written");
    SPARSERL_TRY(config.mode, embeddingModeFromName(name));
    SPARSERL_CHECK(config.check());
    return config;
}

void sinusoid(double index, int dim, float* out)
{
    for (int j = 0; j < dim / 2; ++j) {
        const double angle = index / std::pow(10000.0, 2.0 * j / dim);
        out[2 * j] = static_cast<float>(std::sin(angle));
        out[2 * j + 1] = static_cast<float>(std::cos(angle));
    }
}

MatrixTokens matrixTokens(const Csr& matrix, const EmbeddingConfig& config, std::uint64_t seed)
{
    Rng rng(seed);
    if (isQuadtree(config.mode))
        return quadTokens(matrix, config, rng);
    const bool structure = config.mode == EmbeddingMode::SinusoidalStructure;
    const std::vector<std::int64_t> chosen = structure ? sampleWindows(matrix, config.maxEntries, rng)
                                                       : sampleUniform(matrix.nnz(), config.maxEntries, rng);
    MatrixTokens tokens;
    tokens.count = std::max(1, static_cast<int>(chosen.size()));
    const int width = config.entryWidth();
    tokens.entries.assign(std::size_t(tokens.count) * width, 0.0f);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::int64_t k = chosen[i];
        const std::int32_t r = rowOfEntry(matrix, k);
        const std::int32_t c = matrix.col[k];
        float* out = tokens.entries.data() + i * width;
        switch (config.mode) {
        case EmbeddingMode::Raw:
            out[0] = float(r);
            out[1] = float(c);
            break;
        case EmbeddingMode::MaxMin:
            out[0] = float(double(r) / (config.maxRows > 0 ? config.maxRows : matrix.rows));
            out[1] = float(double(c) / (config.maxCols > 0 ? config.maxCols : matrix.cols));
            break;
        case EmbeddingMode::Sinusoidal:
        case EmbeddingMode::SinusoidalStructure:
            sinusoid(r, config.peDim, out);
            sinusoid(c, config.peDim, out + config.peDim);
            break;
        case EmbeddingMode::Quadtree:
        case EmbeddingMode::QuadtreeAttention:
            break; // quadTokens()
        }
        if (structure) {
            const double length = matrix.rowLength(r), offset = double(c) - r;
            float* extra = out + 2 * config.peDim;
            extra[0] = float(scaledLog2(length, 16));
            extra[1] = float((double(k - matrix.rowPtr[r]) + 0.5) / length);
            extra[2] = float(double(r) / matrix.rows);
            extra[3] = float(double(c) / matrix.cols);
            extra[4] = float(std::copysign(scaledLog2(std::abs(offset), 24), offset));
        }
        tokens.rows.push_back(r);
        tokens.cols.push_back(c);
    }
    if (config.featureWidth() > 0)
        tokens.features = structureFeatures(matrix);
    return tokens;
}

std::vector<float> structureFeatures(const Csr& m)
{
    const double rows = std::max(1, m.rows), cols = std::max(1, m.cols), nnz = double(m.nnz());
    std::vector<std::int32_t> length(m.rows);
    for (std::int32_t r = 0; r < m.rows; ++r)
        length[r] = m.rowLength(r);
    std::sort(length.begin(), length.end());
    const auto quantile = [&](double q) {
        return length.empty() ? 0.0 : double(length[std::size_t(q * double(length.size() - 1))]);
    };
    const double mean = nnz / rows, longest = quantile(1.0);
    double squares = 0, weighted = 0;
    std::int64_t empty = 0, atMost4 = 0, atLeast32 = 0;
    for (std::size_t i = 0; i < length.size(); ++i) {
        squares += (length[i] - mean) * (length[i] - mean);
        weighted += double(i + 1) * length[i];
        empty += length[i] == 0;
        atMost4 += length[i] <= 4;
        atLeast32 += length[i] >= 32;
    }
    const double deviation = std::sqrt(squares / rows);
    const double gini = nnz > 0 ? 2.0 * weighted / (rows * nnz) - (rows + 1) / rows : 0.0;

    std::vector<bool> diagonal(std::size_t(m.rows) + std::size_t(m.cols) + 1, false);
    std::vector<std::int32_t> lastBlockRow(std::size_t(m.cols) / 4 + 1, -1);
    double distance = 0, gaps = 0;
    std::int64_t diagonals = 0, blocks = 0, adjacent = 0, pairs = 0;
    for (std::int32_t r = 0; r < m.rows; ++r) {
        for (std::int32_t k = m.rowPtr[r]; k < m.rowPtr[r + 1]; ++k) {
            const std::int32_t c = m.col[k];
            distance += std::abs(double(c) - r);
            const auto d = std::size_t(std::int64_t(c) - r + m.rows);
            diagonals += !diagonal[d];
            diagonal[d] = true;
            blocks += lastBlockRow[c / 4] != r / 4;
            lastBlockRow[c / 4] = r / 4;
            if (k > m.rowPtr[r]) {
                ++pairs;
                gaps += double(c) - m.col[k - 1];
                adjacent += c == m.col[k - 1] + 1;
            }
        }
    }
    const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0.0; };
    const double values[structureFeatureCount] = {
        scaledLog2(rows, 24),
        scaledLog2(cols, 24),
        scaledLog2(nnz, 28),
        std::log10(std::max(nnz / (rows * cols), 1e-12)) / 12,
        scaledLog2(mean, 16),
        scaledLog2(longest, 20),
        scaledLog2(deviation, 16),
        std::tanh(share(deviation, mean) / 2),
        double(empty) / rows,
        scaledLog2(quantile(0.0), 16),
        scaledLog2(quantile(0.5), 16),
        scaledLog2(quantile(0.8), 16),
        scaledLog2(quantile(0.99), 16),
        scaledLog2(share(longest, mean), 16),
        double(atMost4) / rows,
        double(atLeast32) / rows,
        gini,
        share(distance, nnz) / std::max(rows, cols),
        scaledLog2(double(diagonals), 20),
        share(nnz, double(diagonals) * rows),
        share(nnz, double(blocks) * 16),
        scaledLog2(share(gaps, double(pairs)), 20),
        share(double(adjacent), double(pairs)),
        share(nnz, rows * longest),
    };
    return {std::begin(values), std::end(values)};
}

} // namespace sparserl
