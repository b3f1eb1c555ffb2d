// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// Productions of SpMM kernels on top of Grammar. A group of threads shares a row of A: `across` lanes stand
/// side by side on columns of B and C (`vec` neighbouring columns each), `ways` such sets take different
/// entries of the row. Each thread may own several `chunks` of columns, across * vec apart. With vec > 1 B
/// and C are arrays of float2 or float4 and columns are counted in these.
class SpmmWriter
{
public:
    struct Shape
    {
        std::int64_t block = 128, across = 8, ways = 1, vec = 1, chunks = 1;
        bool stream = false;     ///< Stores that leave the caches to B.
        bool clampFirst = false; ///< The caller declares a clamped first column; see column(0).
    };
    /// Writes the constants and, for vec > 1, the plan line that refuses a B whose rows are not whole
    /// vectors.
    SpmmWriter(Grammar& grammar, const Shape& shape);
    /// For a second shape in one program: constants that exist already.
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
    std::string group() const;    ///< "L * P", a product without parentheses
    std::string perBlock() const; ///< Groups per block.
    std::string type() const;     ///< "float4"
    /// CUDA has no cached or streaming access to the 32 bytes of four doubles.
    bool hasHints() const;
    std::string zero() const; ///< "make_float4(0, 0, 0, 0)"
    std::string sum(std::int64_t chunk) const;
    /// "dim3(ceil_div(WHAT, groups per block), ceil_div(dense_cols, columns per group))"
    std::string grid(const std::string& what) const;
    /// The kernel's head, with launch bounds where the block is large.
    void entry(const std::string& grid, const std::vector<std::string>& comments,
               std::string_view role = "kernel");
    std::string columnBlocks() const; ///< The second extent of the grid.

    /// Declares the first column of this thread from the lane's number in its group.
    void declareColumn(const std::string& lane);
    /// Clamped columns of the chunks after the first, so that loads need no test.
    void declareChunks();
    void declareSums();
    std::string column(std::int64_t chunk) const; ///< The column that loads of a chunk use.
    /// The element of B or C at a row (an expression) and a column.
    std::string at(const char* array, const std::string& row, const std::string& column) const;
    /// The part of row `index` (an expression) of B that belongs to a chunk.
    std::string loadB(const std::string& index, std::int64_t chunk = 0) const;
    std::string rowPart(std::int64_t chunk) const; ///< The name of a loaded part of a row of B.
    void
    everyComponent(const std::function<void(const std::string& suffix)>& use) const; ///< "", or ".x", ...
    /// Adds a * B[index] to the sums. `a` should be a name.
    void addRow(const std::string& a, const std::string& index);

    /// The entries begin, begin + step, ... below end. `column` and `value` give the code for entry `i`.
    struct Entries
    {
        std::string begin, end, step = "1";
        std::function<std::string(const std::string&)> column, value;
        std::int64_t unroll = 1;
        std::int64_t batch = 0; ///< 0: a plain loop; 1: batches of `unroll` whose end is masked; 2: also the
                                ///< next batch's columns and values are loaded ahead.
        bool declared = false;  ///< i and end are variables already.
    };
    void entryLoop(const Entries& entries);

    /// Adds up the sums over the ways of a group inside one warp; the set with p = 0 holds the total. Of a
    /// group larger than a warp: over the lanes of each warp. `mask` names the lanes that take part.
    static constexpr const char* everyLane = "0xffffffff";
    void reduceWays(const std::string& mask = everyLane);
    void reduceNamed(const std::vector<std::string>& sums, const std::string& mask = everyLane);
    /// Adds up over the ways so that every step halves what a lane holds, and stores: fewer shuffles than
    /// reduceWays() and store(), but single columns are stored. For vec > 1, one chunk, at most a warp.
    void reduceSpreadAndStore(const std::string& lane, const std::string& row, const std::string& condition);
    /// Adds up the sums over a whole block of which each warp has reduced its lanes; the first `across`
    /// threads hold the total. `partial` is a shared array declared by declarePartials().
    void declarePartials(std::int64_t sums);
    void reduceBlock(const std::vector<std::string>& sums);
    std::vector<std::string> sums() const;
    /// Stores one sum to row `row`, for kernels that own several rows.
    void storeNamed(const std::string& sum, const std::string& row, const std::string& condition);
    /// A condition for `store`: the row and the thread's first column are known to exist.
    static constexpr const char* exists = "exists";
    /// Stores the sums to row `row` of C where the columns exist; `condition` may be empty.
    void store(const std::string& row, const std::string& condition);
    /// Adds them atomically.
    void storeAtomically(const std::string& row, const std::string& condition);

    /// `number` for literal parameters, else `text`.
    std::string known(std::int64_t number, const std::string& text) const;

private:
    void writeBatches(const Entries& entries, const std::string& end);
    std::string apart(std::int64_t chunk) const; ///< Columns between a chunk and the first.
    void storeWith(const std::string& row, const std::string& condition, bool atomic);

    Grammar& m_g;
    Shape m_shape;
    std::string m_block, m_across, m_ways, m_batchSize;
};

} // namespace sparserl
