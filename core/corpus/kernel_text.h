// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sparserl {

/// Kernel bodies as text with marks for what varies from program to program. In a line
///  - `$role` is the identifier of a role, `@KEY` a value of `set` or `constant`;
///  - `$x[i]` loads from x, `$ld[a;i]` element i of a matrix array, as the style and `stream` say;
///  - `$mad[s;a;b]` adds a * b to s; `$div[v;KEY]` and `$mod[v;KEY]` divide by a power of two;
/// whole lines `$guard[i;n]`, `$endguard`, `$reduce[first;last;width]`, `$unroll[n]` are productions of
/// Grammar. A line that ends in '{' opens a block and "}" closes one, `// ...` is a remark; white space at
/// both ends of a line does not count.
class KernelText
{
public:
    explicit KernelText(Grammar& grammar)
        : m_grammar(grammar)
    {
    }

    /// `@KEY` stands for this text from now on.
    KernelText& set(const std::string& key, const std::string& text);
    KernelText& set(const std::string& key, std::int64_t number);
    /// A constant of the plan (or its number, in that style), known to the text as `@KEY`.
    KernelText& constant(const std::string& key, std::int64_t number);
    /// `$ld` reads around the caches' normal order of eviction: data that is used once.
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

/// The sum of one row, or of a lane's share of it: entries begin, begin + step, ... below end.
struct RowSum
{
    std::string begin, end;
    std::string step = "1";  ///< An expression that needs no parentheses in a product.
    std::int64_t batch = 1;  ///< Entries whose loads are in flight together; all of them are predicated.
    std::string col, val;    ///< Names of the arrays.
    std::string base;        ///< Column that 16-bit entries of `col` start from; empty: 32-bit columns.
    std::string sum;         ///< The variable that the products are added to; it exists already.
    bool predicated = false; ///< Batches leave out what lies behind the end instead of reading it again.
};
/// Loads of a whole batch are independent of each other and of any branch, so that one latency covers them:
/// index computations are clamped to the row instead of skipped.
void writeRowSum(Grammar& grammar, KernelText& text, const RowSum& row);

/// Whether batches are predicated.
const FamilyParameter& predicateParameter();

/// Several blocks for one long row: their sums go to the scratch buffer `split_sums` and a second kernel adds
/// them up.
const FamilyParameter& splitParameter();
/// The second kernel: thread i adds the SPLIT sums of row i of `count` rows. `ids` is the plan's array of row
/// numbers, empty where they count from 0. `text` knows BLOCK and SPLIT.
void writeSplitSums(Grammar& grammar, KernelText& text, const std::string& count, const std::string& ids);

/// What a family whose kernel adds to y needs before it: `zero y` of the plan, or with the parameter `clear`
/// a kernel of its own in front, which starts sooner than a clear of the plan does. The parameter is
/// `clearParameter`.
void writeClear(Grammar& grammar, KernelText& text);
const FamilyParameter& clearParameter();

} // namespace sparserl
