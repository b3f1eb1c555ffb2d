// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <string>
#include <vector>

namespace sparserl {

struct IdiomEntry
{
    Family family;
    void (*write)(Grammar& grammar) = nullptr;
};
std::vector<IdiomEntry> arrayIdioms(); ///< Idioms of single threads or of a warp.
std::vector<IdiomEntry> blockIdioms(); ///< Idioms of blocks with shared memory.

/// An associative operation on elements, as the parameters "op" (0 sum, 1 maximum, 2 minimum) and "integer"
/// specify it.
class IdiomOperation
{
public:
    explicit IdiomOperation(const Grammar& grammar)
        : m_op(grammar.parameter("op"))
        , m_integer(grammar.parameter("integer") != 0)
    {
    }
    std::string type() const { return m_integer ? "int" : "float"; }
    std::string neutral() const;
    /// Returns the statement that combines `value` into `target`.
    std::string into(const std::string& target, const std::string& value) const;

private:
    std::int64_t m_op;
    bool m_integer;
};
const FamilyParameter& idiomOperator();
const FamilyParameter& idiomType();
const FamilyParameter& idiomBlock();

/// Writes shuffles that combine the values of the variable with this role over the lanes of a warp.
void combineLanes(Grammar& grammar, const IdiomOperation& operation, const std::string& role);

} // namespace sparserl
