// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sparserl {

/// Kernel bodies as text with marks for parts that vary between programs. In a line,
///  - `$role` is the identifier of a role, `@KEY` a value given to set() or constant();
///  - `$x[i]` loads from x, `$ld[a;i]` loads element i of a matrix array, according to the style and
///  stream();
///  - `$mad[s;a;b]` adds a * b to s; `$div[v;KEY]` and `$mod[v;KEY]` divide by a power of two.
/// The lines `$guard[i;n]`, `$endguard`, `$reduce[first;last;width]` and `$unroll[n]` are productions of
/// Grammar. A line that ends in '{' opens a block, "}" closes one, and `// ...` is a remark. White space at
/// both ends of a line is ignored.
class KernelText
{
public:
    explicit KernelText(Grammar& grammar)
        : m_grammar(grammar)
    {
    }

    /// From now on, `@KEY` stands for this text.
    KernelText& set(const std::string& key, const std::string& text);
    KernelText& set(const std::string& key, std::int64_t number);
    /// A constant of the plan (or its number, with literal parameters), for which `@KEY` stands in the text.
    KernelText& constant(const std::string& key, std::int64_t number);
    /// Makes `$ld` use streaming loads, for data that is used once.
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

/// The sum of one row, or of a lane's share of a row: entries begin, begin + step, ... below end.
struct RowSum
{
    std::string begin, end;
    std::string step = "1"; ///< An expression that needs no parentheses in a product.
    std::int64_t batch = 1; ///< Entries whose loads are in flight together. Each is compared with the end.
    std::string col, val;   ///< Names of the arrays.
    std::string base;       ///< Column that is added to 16-bit entries of `col`; empty: 32-bit columns.
    std::string sum;        ///< The variable that the products are added to. It must exist.
    /// Batches skip entries past the end instead of reading their first entry again.
    bool predicated = false;
};
/// The loads of a batch are independent of each other, so one latency covers them. Without `predicated`, they
/// are also independent of any branch: an index past the end is replaced by the first of the batch.
void writeRowSum(Grammar& grammar, KernelText& text, const RowSum& row);

/// Whether batches are predicated.
const FamilyParameter& predicateParameter();

/// Several blocks share a long row. They write their sums to the scratch buffer `split_sums`, and a second
/// kernel adds them up.
const FamilyParameter& splitParameter();
/// The second kernel: thread i adds the SPLIT sums of row i of `count` rows. `ids` is the plan's array of row
/// numbers, empty if they count from 0. `text` must have values for BLOCK and SPLIT.
void writeSplitSums(Grammar& grammar, KernelText& text, const std::string& count, const std::string& ids);

/// Clears y for a family whose kernel adds to y: by `zero y` in the plan or, with clearParameter(), by a
/// separate kernel before it, which starts sooner than a clear in the plan.
void writeClear(Grammar& grammar, KernelText& text);
const FamilyParameter& clearParameter();

} // namespace sparserl
