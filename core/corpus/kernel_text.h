// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sparserl {

/// Writes kernel bodies from text with marks for the parts that vary between programs. In a line,
///  - `$role` is the identifier of a role, `@KEY` is a value given to set() or constant();
///  - `$x[i]` loads from x, `$ld[a;i]` loads element i of a matrix array, according to the style and
///  stream();
///  - `$mad[s;a;b]` adds a * b to s; `$div[v;KEY]` and `$mod[v;KEY]` divide by a power of two.
/// The lines `$guard[i;n]`, `$endguard`, `$reduce[first;last;width]` and `$unroll[n]` are productions of
/// Grammar. A line that ends in '{' opens a block, "}" closes a block, and `// ...` is a remark. White space
/// at both ends of a line is ignored.
class KernelText
{
public:
    explicit KernelText(Grammar& grammar)
        : m_grammar(grammar)
    {
    }

    /// Makes `@KEY` stand for this text from now on.
    KernelText& set(const std::string& key, const std::string& text);
    KernelText& set(const std::string& key, std::int64_t number);
    /// Makes `@KEY` stand for a constant of the plan or, with literal parameters, for its number.
    KernelText& constant(const std::string& key, std::int64_t number);
    /// Makes `$ld` use streaming loads, which suit data that is used once.
    KernelText& stream(bool streamed);

    void write(std::string_view text);
    std::string expand(std::string_view line);

private:
    struct Value
    {
        std::string text;
        std::int64_t number = 0;
    };
    std::string mark(std::string_view line, std::size_t& at);
    std::int64_t times(std::string_view expression) const;
    std::string production(std::string_view name, const std::vector<std::string>& arguments);

    Grammar& m_grammar;
    std::map<std::string, Value, std::less<>> m_values;
    bool m_stream = false;
};

/// The sum of a row, or of a lane's share of a row. Its entries are begin, begin + step, ... before end.
struct RowSum
{
    std::string begin, end;
    std::string step = "1"; ///< An expression that needs no parentheses in a product.
    std::int64_t batch = 1; ///< Entries with loads in flight together. Each index is tested against the end.
    std::string col, val;   ///< The names of the arrays.
    std::string base; ///< The column that is added to 16-bit entries of `col`; empty: columns have 32 bits.
    std::string sum;  ///< The variable that the products are added to. It must exist.
    /// A batch skips entries past the end instead of reading its first entry again.
    bool predicated = false;
};
/// Writes the sum of a row. The loads of a batch do not depend on each other, so one latency covers them all.
/// Without `predicated`, they do not depend on a branch either: the first index of the batch replaces an
/// index past the end.
void writeRowSum(Grammar& grammar, KernelText& text, const RowSum& row);

/// The parameter for RowSum::predicated.
const FamilyParameter& predicateParameter();

/// The number of blocks that share a long row. If there are several, they write their sums to the scratch
/// buffer `split_sums`, and a second kernel adds them up.
const FamilyParameter& splitParameter();
/// Writes the second kernel for splitParameter(): thread i adds the SPLIT sums of row i of `count` rows.
/// `ids` is the plan's array of row numbers, or empty if rows are numbered from 0. `text` must have values
/// for BLOCK and SPLIT.
void writeSplitSums(Grammar& grammar, KernelText& text, const std::string& count, const std::string& ids);

/// Clears y for a family whose kernel adds to y: by `zero y` in the plan or, if the parameter of
/// clearParameter() is 1, by a separate kernel that runs first. That kernel starts sooner than a clear in the
/// plan.
void writeClear(Grammar& grammar, KernelText& text);
const FamilyParameter& clearParameter();

} // namespace sparserl
