// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The expression language of list filters: "nnz > 1e5 and class = banded", "not (split = train) or fem".
///
///     or:    and ("or" and)*
///     and:   not ("and"? not)*
///     not:   "not" not | "(" or ")" | NAME OP VALUE | WORD
///     OP:    = != < <= > >= ~
///
/// Numbers may end in k, M, G or %. Text comparison ignores case; "banded" equals "banded/narrow", because a
/// text may have a subtype after a slash; ~ matches a substring. Quotes allow blanks. Each list defines its
/// names and where it searches for a single WORD.
enum class FilterComparison
{
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Contains
};

/// The meaning of a name in an expression.
struct FilterField
{
    enum class Kind
    {
        Number,
        Text,
        Either ///< A number in some rows, a text in others: compared by the type of both sides.
    };
    std::size_t id = 0; ///< Passed to FilterSubject.
    Kind kind = Kind::Number;
};

/// The names that a list's expressions can use.
struct FilterVocabulary
{
    std::string rows;    ///< "matrices": the objects with these names, for messages.
    std::string example; ///< "nnz > 1e5"
    std::string remedy;  ///< Used for an unknown name without a similar one: "Use for example nnz or split".
    /// nullopt for an unknown name. Receives names in their original case.
    std::function<std::optional<FilterField>(const std::string& name)> find;
    /// The candidates for a misspelt name.
    std::function<std::vector<std::string>()> names;
    /// Accepts the older syntax of run filters: "status:failed" as `status ~ failed` and a leading minus as
    /// `not`. Values of `exact` must match completely. If false, or without names of only letters, colons
    /// have no meaning.
    bool colons = false;
    std::string exact;
    /// Why a value is invalid for this field, or nullopt.
    std::function<std::optional<Error>(const FilterField&, const std::string& value)> check = {};
};

/// A row evaluated by a filter.
class FilterSubject
{
public:
    virtual ~FilterSubject() = default;
    /// nullopt if the row has no value; then every comparison with it is false.
    virtual std::optional<double> number(std::size_t field) const = 0;
    /// Whether a text of the field satisfies `wanted`.
    virtual bool anyText(std::size_t field, const std::function<bool(const std::string&)>& wanted) const = 0;
    /// Whether one of the row's identifying texts contains `part`, which is in lower case.
    virtual bool mentions(const std::string& part) const = 0;
};

/// A parsed expression.
class FilterTree
{
public:
    /// Matches everything.
    FilterTree() = default;
    /// The Error gives the fault and its character position, from 1.
    static Result<FilterTree> parse(std::string_view text, const FilterVocabulary& vocabulary);

    bool empty() const { return m_root == nullptr; }
    bool matches(const FilterSubject& subject) const;
    /// Whether the expression compares a field with this lower-case text, with any operator.
    bool compares(std::size_t field, std::string_view text) const;

    struct Node;

private:
    std::shared_ptr<const Node> m_root;
};

/// Converts ASCII letters to lower case, as for all filter comparisons.
std::string filterCase(std::string_view text);
/// Whether `text` contains a lower-case part.
bool filterFinds(const std::string& text, const std::string& part);

} // namespace sparserl
