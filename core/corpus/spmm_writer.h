// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// Productions of SpMM kernels on top of Grammar. A group of threads shares a row of A. The group consists of
/// `ways` sets of `across` lanes. A set is called a way. The lanes of a way are side by side along the
/// columns of B and C, with `vec` neighbouring columns each. The ways process different entries of the row.
/// Each thread may own several `chunks` of columns, at distances of across * vec. If vec > 1, B and C are
/// arrays of float2 or float4, and columns are counted in these vectors.
class SpmmWriter
{
public:
    struct Shape
    {
        std::int64_t block = 128, across = 8, ways = 1, vec = 1, chunks = 1;
        bool stream = false;     ///< Uses streaming stores, which leave the caches to B.
        bool clampFirst = false; ///< The caller declares a clamped first column; see column(0).
    };
    /// Writes the constants and, if vec > 1, a plan line that refuses a matrix B whose rows do not consist of
    /// whole vectors.
    SpmmWriter(Grammar& grammar, const Shape& shape);
    /// The names of existing constants, for a second shape in the same program.
    struct Names
    {
        std::string block, across, ways;
    };
    SpmmWriter(Grammar& grammar, const Shape& shape, const Names& names);

    const Shape& shape() const { return m_shape; }
    std::string block() const { return m_block; }
    std::string across() const { return m_across; }
    std::string ways() const { return m_ways; }
    std::int64_t groupSize() const { return m_shape.across * m_shape.ways; }
    std::string group() const;    ///< "L * P", without parentheses.
    std::string perBlock() const; ///< The number of groups per block.
    std::string type() const;     ///< The type of a sum: "float4".
    /// Whether cache hints are available. CUDA has no cached or streaming access to the 32 bytes of four
    /// doubles.
    bool hasHints() const;
    std::string zero() const; ///< The zero of type(): "make_float4(0, 0, 0, 0)".
    std::string sum(std::int64_t chunk) const;
    /// Returns "dim3(ceil_div(WHAT, groups per block), ceil_div(dense_cols, columns per group))".
    std::string grid(const std::string& what) const;
    /// Writes the kernel's head, with launch bounds if the block is large.
    void entry(const std::string& grid, const std::vector<std::string>& comments,
               std::string_view role = "kernel");
    std::string columnBlocks() const; ///< The second dimension of the grid.

    /// Declares the first column of a thread. `lane` is the number of its lane in the way.
    void declareColumn(const std::string& lane);
    /// Declares the columns of the chunks after the first chunk. They are clamped, so that loads need no
    /// test.
    void declareChunks();
    void declareSums();
    std::string column(std::int64_t chunk) const; ///< The column that the loads of a chunk use.
    /// Returns the element of B or C at a row (an expression) and a column.
    std::string at(const char* array, const std::string& row, const std::string& column) const;
    /// Returns a load of the part of a row of B that belongs to a chunk. `index` is an expression for the
    /// number of the row.
    std::string loadB(const std::string& index, std::int64_t chunk = 0) const;
    std::string rowPart(std::int64_t chunk) const; ///< The name of a loaded part of a row of B.
    /// Calls `use` with "" or, if vec > 1, with ".x", ".y", ... for every component.
    void everyComponent(const std::function<void(const std::string& suffix)>& use) const;
    /// Writes code that adds a * B[index] to the sums. `a` should be a name.
    void addRow(const std::string& a, const std::string& index);

    /// The entries begin, begin + step, ... before end. `column` and `value` return the code for the entry
    /// with an index.
    struct Entries
    {
        std::string begin, end, step = "1";
        std::function<std::string(const std::string&)> column, value;
        std::int64_t unroll = 1;
        /// 0: a plain loop; 1: batches of `unroll` entries, which mask entries past the end; 2: the same, and
        /// the next batch's columns and values are loaded ahead.
        std::int64_t batch = 0;
        bool declared = false; ///< The variables i and end already exist.
    };
    void entryLoop(const Entries& entries);

    /// Writes code that adds up the sums over the ways of a group within one warp. The first way then holds
    /// the total. If a group is larger than a warp, each warp adds up its own lanes. `mask` contains the
    /// participating lanes.
    static constexpr const char* everyLane = "0xffffffff";
    void reduceWays(const std::string& mask = everyLane);
    void reduceNamed(const std::vector<std::string>& sums, const std::string& mask = everyLane);
    /// Writes code that adds up the sums over the ways and stores the totals. Every step halves the number of
    /// columns that a lane holds. This needs fewer shuffles than reduceWays() and store(), but stores single
    /// columns. Requires vec > 1, one chunk, and a group that is not larger than a warp.
    void reduceSpreadAndStore(const std::string& lane, const std::string& row, const std::string& condition);
    /// Writes code that adds up the sums over the lanes of each warp and then over the whole block. The first
    /// `across` threads hold the total. declarePartials() declares the shared array that this code needs.
    void declarePartials(std::int64_t sums);
    void reduceBlock(const std::vector<std::string>& sums);
    std::vector<std::string> sums() const;
    /// Writes code that stores one sum to row `row`, for kernels whose threads own several rows.
    void storeNamed(const std::string& sum, const std::string& row, const std::string& condition);
    /// The condition for store() if the row and the thread's first column certainly exist.
    static constexpr const char* exists = "exists";
    /// Writes code that stores the sums to row `row` of C if the columns exist and `condition` holds.
    /// `condition` may be empty.
    void store(const std::string& row, const std::string& condition);
    /// Writes code that adds the sums to row `row` of C atomically.
    void storeAtomically(const std::string& row, const std::string& condition);

    /// Returns `number` with literal parameters, otherwise `text`.
    std::string known(std::int64_t number, const std::string& text) const;

private:
    void writeBatches(const Entries& entries, const std::string& end);
    std::string apart(std::int64_t chunk) const; ///< Columns from the first chunk to this chunk.
    void storeWith(const std::string& row, const std::string& condition, bool atomic);

    Grammar& m_g;
    Shape m_shape;
    std::string m_block, m_across, m_ways, m_batchSize;
};

} // namespace sparserl
