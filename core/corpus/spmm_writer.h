// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// Productions of SpMM kernels on top of Grammar. A group of threads shares a row of A. It consists of `ways`
/// sets of `across` lanes. The lanes of a set are side by side along the columns of B and C, with `vec`
/// neighbouring columns each. The sets process different entries of the row. Each thread may own several
/// `chunks` of columns, at distances of across * vec. With vec > 1, B and C are arrays of float2 or float4,
/// and columns are counted in these.
class SpmmWriter
{
public:
    struct Shape
    {
        std::int64_t block = 128, across = 8, ways = 1, vec = 1, chunks = 1;
        bool stream = false;     ///< Streaming stores, which leave the caches to B.
        bool clampFirst = false; ///< The caller declares a clamped first column; see column(0).
    };
    /// Writes the constants and, for vec > 1, a plan line that refuses a B whose rows do not consist of whole
    /// vectors.
    SpmmWriter(Grammar& grammar, const Shape& shape);
    /// For a second shape in one program: names of existing constants.
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
    /// Whether cache hints are available. CUDA has no cached or streaming access to the 32 bytes of four
    /// doubles.
    bool hasHints() const;
    std::string zero() const; ///< "make_float4(0, 0, 0, 0)"
    std::string sum(std::int64_t chunk) const;
    /// "dim3(ceil_div(WHAT, groups per block), ceil_div(dense_cols, columns per group))"
    std::string grid(const std::string& what) const;
    /// Writes the kernel's head, with launch bounds if the block is large.
    void entry(const std::string& grid, const std::vector<std::string>& comments,
               std::string_view role = "kernel");
    std::string columnBlocks() const; ///< Second dimension of the grid.

    /// Declares the first column of this thread from the lane's number in its group.
    void declareColumn(const std::string& lane);
    /// Declares clamped columns of the chunks after the first, so that loads need no test.
    void declareChunks();
    void declareSums();
    std::string column(std::int64_t chunk) const; ///< The column used by loads of a chunk.
    /// The element of B or C at a row (an expression) and a column.
    std::string at(const char* array, const std::string& row, const std::string& column) const;
    /// A load of the part of row `index` (an expression) of B that belongs to a chunk.
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
        bool declared = false;  ///< The variables i and end already exist.
    };
    void entryLoop(const Entries& entries);

    /// Adds up the sums over the ways of a group within one warp. The set with p = 0 holds the total. For a
    /// group larger than a warp, adds up over the lanes of each warp. `mask` contains the participating
    /// lanes.
    static constexpr const char* everyLane = "0xffffffff";
    void reduceWays(const std::string& mask = everyLane);
    void reduceNamed(const std::vector<std::string>& sums, const std::string& mask = everyLane);
    /// Adds up over the ways and stores. Every step halves the number of columns that a lane holds. This
    /// needs fewer shuffles than reduceWays() and store(), but stores single columns. For vec > 1, one chunk,
    /// at most a warp.
    void reduceSpreadAndStore(const std::string& lane, const std::string& row, const std::string& condition);
    /// Adds up the sums over a whole block after each warp has reduced its lanes. The first `across` threads
    /// hold the total. declarePartials() declares the shared array that this needs.
    void declarePartials(std::int64_t sums);
    void reduceBlock(const std::vector<std::string>& sums);
    std::vector<std::string> sums() const;
    /// Stores one sum to row `row`, for kernels that own several rows.
    void storeNamed(const std::string& sum, const std::string& row, const std::string& condition);
    /// A condition for store(): the row and the thread's first column are known to exist.
    static constexpr const char* exists = "exists";
    /// Stores the sums to row `row` of C if the columns exist. `condition` may be empty.
    void store(const std::string& row, const std::string& condition);
    /// Adds the sums to row `row` of C atomically.
    void storeAtomically(const std::string& row, const std::string& condition);

    /// `number` with literal parameters, otherwise `text`.
    std::string known(std::int64_t number, const std::string& text) const;

private:
    void writeBatches(const Entries& entries, const std::string& end);
    std::string apart(std::int64_t chunk) const; ///< Columns between the first chunk and this one.
    void storeWith(const std::string& row, const std::string& condition, bool atomic);

    Grammar& m_g;
    Shape m_shape;
    std::string m_block, m_across, m_ways, m_batchSize;
};

} // namespace sparserl
