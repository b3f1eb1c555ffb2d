// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "matrix/features.h"

namespace sparserl {

namespace {

/// A feature with where it lives, so that reading and writing JSON come from the same line.
struct Entry
{
    FeatureSpec spec;
    void (*set)(MatrixFeatures&, double);
};

// A macro because a member has to become two function pointers; it ends with this table.
#define SPARSERL_FEATURE(key, member, name, unit, integer, help)                                             \
    Entry                                                                                                    \
    {                                                                                                        \
        {key,  name,    unit,                                                                                \
         help, integer, [](const MatrixFeatures& f) { return static_cast<double>(f.member); }},                                                    \
            [](MatrixFeatures& f, double v) { f.member = static_cast<decltype(f.member)>(v); }               \
    }

/// Of a feature that files of before it do not have, and that some matrices do not have.
Entry mayBeUnknown(Entry entry)
{
    entry.spec.mayBeUnknown = true;
    return entry;
}

const std::vector<Entry>& entries()
{
    static const std::vector<Entry> table{
        SPARSERL_FEATURE("rows", rows, "Rows", "", true, "Rows of the matrix."),
        SPARSERL_FEATURE("cols", cols, "Columns", "", true, "Columns of the matrix."),
        SPARSERL_FEATURE("nnz", nnz, "Non-zeros", "entries", true,
                         "Stored entries, symmetric ones expanded, explicit zeros included."),
        SPARSERL_FEATURE("density", density, "Density", "share", false, "Entries over rows times columns."),
        SPARSERL_FEATURE("row_mean", rowMean, "Mean row length", "entries", false,
                         "Entries per row on average."),
        SPARSERL_FEATURE("row_max", rowMax, "Longest row", "entries", true, "Entries of the longest row."),
        SPARSERL_FEATURE("row_min", rowMin, "Shortest row", "entries", true, "Entries of the shortest row."),
        SPARSERL_FEATURE("row_std", rowStd, "Row length spread", "entries", false,
                         "Standard deviation of row lengths."),
        SPARSERL_FEATURE("row_cv", rowCv, "Row length variation", "", false,
                         "Standard deviation over mean of row lengths; above 1 rows are very uneven."),
        SPARSERL_FEATURE("row_gini", rowGini, "Row length Gini", "", false,
                         "0 where all rows are equally long, near 1 where few rows hold nearly all entries."),
        SPARSERL_FEATURE("empty_rows", emptyRows, "Empty rows", "share", false,
                         "Share of rows without entries."),
        SPARSERL_FEATURE("row_q50", rowQ50, "Row length, 50 %", "entries", true,
                         "Half of the rows are not longer than this."),
        SPARSERL_FEATURE("row_q80", rowQ80, "Row length, 80 %", "entries", true,
                         "Four rows in five are not longer than this."),
        SPARSERL_FEATURE("row_q99", rowQ99, "Row length, 99 %", "entries", true,
                         "99 rows in 100 are not longer than this."),
        SPARSERL_FEATURE("ell_ratio", ellRatio, "ELL ratio", "", false,
                         "Longest over mean row: how many times larger ELL storage is."),
        SPARSERL_FEATURE("bandwidth_mean", bandwidthMean, "Mean bandwidth", "columns", false,
                         "Mean distance of an entry from the diagonal."),
        SPARSERL_FEATURE("bandwidth_max", bandwidthMax, "Bandwidth", "columns", true,
                         "Largest distance of an entry from the diagonal."),
        SPARSERL_FEATURE("diagonals", diagonals, "Diagonals", "", true, "Diagonals with at least one entry."),
        SPARSERL_FEATURE("diagonal_fill", diagonalFill, "Diagonal fill", "share", false,
                         "Share of the slots of DIA storage that hold an entry."),
        SPARSERL_FEATURE("block_fill_2", blockFill[0], "Fill of 2x2 blocks", "share", false,
                         "Entries over places in the aligned 2x2 blocks that hold any."),
        SPARSERL_FEATURE("block_fill_4", blockFill[1], "Fill of 4x4 blocks", "share", false,
                         "Entries over places in the aligned 4x4 blocks that hold any."),
        SPARSERL_FEATURE("block_fill_8", blockFill[2], "Fill of 8x8 blocks", "share", false,
                         "Entries over places in the aligned 8x8 blocks that hold any."),
        SPARSERL_FEATURE("block_fill_16", blockFill[3], "Fill of 16x16 blocks", "share", false,
                         "Entries over places in the aligned 16x16 blocks that hold any."),
        SPARSERL_FEATURE("window_columns", windowColumns, "Columns per 16 rows", "columns", false,
                         "Distinct columns in a window of 16 rows on average."),
        SPARSERL_FEATURE("window_reuse", windowReuse, "Reuse in 16 rows", "", false,
                         "Entries per distinct column in a window of 16 rows: how often x is used again."),
        SPARSERL_FEATURE("column_gap", columnGap, "Column gap", "columns", false,
                         "Mean distance between neighbouring entries of a row; 1 is contiguous."),
        SPARSERL_FEATURE("pattern_symmetry", patternSymmetry, "Pattern symmetry", "share", false,
                         "Share of off-diagonal entries whose mirror entry is stored too."),
        SPARSERL_FEATURE("value_symmetry", valueSymmetry, "Value symmetry", "share", false,
                         "Share of off-diagonal entries whose mirror entry has the same value."),
        SPARSERL_FEATURE("dense_cols", denseColumns, "Columns of B", "", true,
                         "Columns of the dense operand: 1 for y = A x."),
        // New ones last: what lacks the last is written anew (lacksFeatures).
        mayBeUnknown(SPARSERL_FEATURE("main_diagonal", mainDiagonal, "Main diagonal", "share", false,
                                      "Share of the places of the main diagonal that hold an entry.")),
        mayBeUnknown(SPARSERL_FEATURE(
            "strong_components", strongComponents, "Strongly connected components", "", true,
            "Groups of rows of a square matrix that reach each other through entries; 1 is irreducible.")),
    };
    return table;
}

#undef SPARSERL_FEATURE

} // namespace

const std::vector<FeatureSpec>& featureSpecs()
{
    static const std::vector<FeatureSpec> specs = [] {
        std::vector<FeatureSpec> out;
        for (const auto& entry : entries()) {
            out.push_back(entry.spec);
        }
        return out;
    }();
    return specs;
}

const FeatureSpec* findFeature(std::string_view key)
{
    for (const auto& spec : featureSpecs()) {
        if (spec.key == key) {
            return &spec;
        }
    }
    return nullptr;
}

nlohmann::json toJson(const MatrixFeatures& features)
{
    nlohmann::json out = nlohmann::json::object();
    for (const auto& spec : featureSpecs()) {
        const double value = spec.value(features);
        if (!spec.known(features)) {
            out[std::string(spec.key)] = nullptr;
        } else if (spec.integer) {
            out[std::string(spec.key)] = static_cast<std::int64_t>(value); // All below 2^53.
        } else {
            out[std::string(spec.key)] = value;
        }
    }
    return out;
}

bool lacksFeatures(const nlohmann::json& json)
{
    return !json.contains(std::string(featureSpecs().back().key));
}

std::optional<MatrixFeatures> featuresFromJson(const nlohmann::json& json)
{
    if (!json.is_object()) {
        return std::nullopt;
    }
    MatrixFeatures out;
    for (const auto& entry : entries()) {
        const auto it = json.find(std::string(entry.spec.key));
        if (entry.spec.mayBeUnknown && (it == json.end() || it->is_null())) {
            continue;
        }
        if (it == json.end() || !it->is_number()) {
            return std::nullopt;
        }
        entry.set(out, it->get<double>());
    }
    return out;
}

} // namespace sparserl
